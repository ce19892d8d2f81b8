// What a project tells agents in its AGENTS.md files.
import { joinPath, normalizePath, parentPath } from '../vfs/path.ts'
import type { Vfs } from '../vfs/vfs.ts'
import { trustedText } from './trusted-text.ts'

export interface ProjectInstructions {
  /** For `agent({ instructions })`; empty where there are none. */
  readonly instructions: string
  /** What was left out, and why. */
  readonly warnings: readonly string[]
}

/** Bytes of one file, and characters of all together. */
const most = 32_768

/**
 * The `AGENTS.md` of a directory and of those above it, up to the root of the files; the nearest comes last and has the last
 * word. Only files of `trusted()` count; others are named in `warnings`, as are those that make more than 32 KiB together: the
 * farthest go first.
 */
export async function projectInstructions(files: Vfs, directory = '/'): Promise<ProjectInstructions> {
  const found: string[] = []
  const warnings: string[] = []
  let room = most
  for (const path of pathsAbove(normalizePath(directory))) {
    const read = await trustedText(files, path, { maxBytes: most })
    if (read.text === undefined) {
      if (read.why !== undefined) warnings.push(`"${path}" is left out: ${read.why}`)
      continue
    }
    const text = read.text.replace(/^\ufeff/, '').trim()
    if (text === '') continue
    room -= text.length
    if (room < 0) warnings.push(`"${path}" is left out: instructions of more than ${most} characters are not read`)
    else found.unshift(`Instructions of the project, from "${path}":\n\n${text}`)
  }
  return { instructions: found.join('\n\n'), warnings }
}

/** The file of the directory itself first. */
function pathsAbove(directory: string): readonly string[] {
  const paths: string[] = []
  for (let at = directory; ; at = parentPath(at)) {
    paths.push(joinPath(at, 'AGENTS.md'))
    if (at === '/') return paths
  }
}
