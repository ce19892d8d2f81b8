// Tools that change files. Each asks first, unless the changes go to an overlay that can be dropped.
import { applyPatch } from '../diff/patch.ts'
import { makeChange, planChange } from '../edit/change.ts'
import type { Change } from '../edit/change.ts'
import { replaceIn } from '../edit/edit.ts'
import { ok } from '../tool/tool.ts'
import type { Tool } from '../tool/tool.ts'
import { absolutePath } from '../vfs/path.ts'
import type { Vfs, VfsOperation } from '../vfs/vfs.ts'
import { walk } from '../vfs/walk.ts'
import type { WalkEntry } from '../vfs/walk.ts'
import { changeDetails, changePreview } from './change.ts'
import { pathField, writeTool } from './file-tool.ts'
import type { WriteTool } from './file-tool.ts'
import type { Workspace } from './workspace.ts'

interface ChangeTool<Input> extends Omit<WriteTool<Input>, 'plan'> {
  /** Whether a file without text may be replaced. */
  readonly replacesAny?: boolean
  rewrite(before: string | undefined, input: Input, path: string): string
  answer(change: Change): string
}

/** A tool that gives one file another text. */
function changeTool<Input extends { readonly path: string }>(
  space: Workspace,
  { replacesAny, rewrite, answer, ...facts }: ChangeTool<Input>,
): Tool<Input> {
  return writeTool(space, {
    ...facts,
    plan: async (files, input, signal) => {
      const path = absolutePath(files, input.path)
      const change = await planChange(files, path, (before) => rewrite(before, input, path), { signal, replacesAny })
      const { before, etag } = change
      return {
        show: async (summary) => ({
          preview: changePreview(summary, change),
          state: before === undefined ? '' : (etag ?? (await space.digest(before))),
        }),
        go: async () => {
          await makeChange(files, change, { signal })
          return ok(answer(change), { details: changeDetails(change) })
        },
      }
    },
  })
}

interface WriteInput {
  readonly path: string
  readonly contents: string
}

export function fsWrite(space: Workspace): Tool<WriteInput> {
  return changeTool<WriteInput>(space, {
    name: 'fs_write',
    description:
      'Writes a whole text file, replacing what was there and making missing directories. For a small change use fs_edit.',
    fields: {
      path: pathField,
      contents: { type: 'string', description: 'The whole new text' },
    },
    needs: ['path', 'contents'],
    examples: ['write hello to notes.md', 'save a file'],
    verb: 'Write',
    replacesAny: true,
    rewrite: (_, { contents }) => contents,
    answer: ({ path, before, after }) =>
      `${before === undefined ? 'Created' : 'Replaced'} ${JSON.stringify(path)} (${after.length} characters)`,
  })
}

interface EditInput {
  readonly path: string
  readonly find: string
  readonly replace: string
  readonly all?: boolean
}

export function fsEdit(space: Workspace): Tool<EditInput> {
  return changeTool<EditInput>(space, {
    name: 'fs_edit',
    description:
      'Replaces one exact piece of text in a file. The text to find must be there exactly once, white space included; with all every place is replaced.',
    fields: {
      path: pathField,
      find: { type: 'string', description: 'Exact text, with enough lines around it to be unique' },
      replace: { type: 'string', description: 'The new text' },
      all: { type: 'boolean', description: 'Replace every place. Default false' },
    },
    needs: ['path', 'find', 'replace'],
    verb: 'Edit',
    rewrite: (before, input, path) => replaceIn(path, before, input).text,
    answer: ({ path }) => `Edited ${JSON.stringify(path)}`,
  })
}

interface PatchInput {
  readonly path: string
  readonly patch: string
}

export function fsPatch(space: Workspace): Tool<PatchInput> {
  return changeTool<PatchInput>(space, {
    name: 'fs_patch',
    description:
      'Applies a unified diff to one file. The lines of each hunk must be in the file; line numbers may be slightly off. All hunks are applied or none. A new file is made from a patch that only adds lines.',
    fields: {
      path: pathField,
      patch: { type: 'string', description: 'Hunks that start with "@@ -1,3 +1,4 @@"; file headers are optional' },
    },
    needs: ['path', 'patch'],
    verb: 'Patch',
    rewrite: (before, { patch }) => applyPatch(before ?? '', patch),
    answer: ({ path }) => `Patched ${JSON.stringify(path)}`,
  })
}

interface DeleteInput {
  readonly path: string
  readonly recursive?: boolean
}

export function fsDelete(space: Workspace): Tool<DeleteInput> {
  return writeTool<DeleteInput>(space, {
    name: 'fs_delete',
    description: 'Deletes a file or an empty directory; with recursive a directory with everything in it.',
    fields: {
      path: pathField,
      recursive: { type: 'boolean', description: 'Delete a directory that is not empty. Default false' },
    },
    needs: ['path'],
    examples: ['delete notes.md'],
    verb: 'Delete',
    plan: async (files, { path, recursive = false }, signal) => {
      const at = absolutePath(files, path)
      return {
        show: async (summary) => {
          const { what, state } = await deletion(files, at, { recursive, signal })
          return { preview: { summary: `${summary}, ${what}` }, state: await space.digest(state) }
        },
        go: async () => {
          await files.rm(at, { recursive, signal })
          return ok(`Deleted ${JSON.stringify(at)}`, { details: { path: at, recursive } })
        },
      }
    },
  })
}

const maxCounted = 1000

/** What would go, in words, and as a text that is another when something else would. */
async function deletion(
  files: Vfs,
  path: string,
  { recursive, signal }: VfsOperation & { readonly recursive: boolean },
): Promise<{ readonly what: string; readonly state: string }> {
  const stat = await files.stat(path, { signal })
  if (stat === undefined) return { what: 'which does not exist', state: '' }
  const { type, size, mtime, etag } = stat
  if (type === 'file') return { what: `a file of ${size} bytes`, state: `${size} ${mtime} ${etag}` }
  if (!recursive) return { what: 'a directory, if it is empty', state: type }
  const entries: WalkEntry[] = []
  let count = 0
  for await (const entry of walk(files, path, { signal, maxEntries: Infinity })) {
    if (entry.type === 'file' && (count += 1) > maxCounted) break
    entries.push(entry)
  }
  const shown = count > maxCounted ? `more than ${maxCounted}` : count
  return { what: `a directory with ${shown} files`, state: JSON.stringify([shown, entries]) }
}
