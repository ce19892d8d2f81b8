// Skills: directories with instructions for one kind of task each, told of by name and read when they are needed.
import { isSameloopError } from '../error/error.ts'
import type { Tool } from '../tool/tool.ts'
import { joinPath, normalizePath } from '../vfs/path.ts'
import type { Vfs } from '../vfs/vfs.ts'
import { entriesOf } from '../vfs/walk.ts'
import { frontMatter } from './front-matter.ts'
import { loadSkill } from './load-skill.ts'
import { maxSkillBytes, skillFile } from './skill.ts'
import type { Skill } from './skill.ts'
import { trustedText } from './trusted-text.ts'

export interface Skills {
  /** For `agent({ instructions })`: which skills there are; empty where there are none. */
  readonly instructions: string
  /** For `agent({ tools })`: `load_skill`; none where there are no skills. */
  readonly tools: readonly Tool[]
  /** In the order of their directories. */
  readonly list: readonly Skill[]
  /** What was left out, and why. */
  readonly warnings: readonly string[]
}

const mostSkills = 100
const mostListed = 32_768
const mostDirectories = 1_000

/**
 * The skills in the directories of `root`: each has a `SKILL.md` with a head that says its `name` (1 to 64 of `a-z 0-9 -`, the
 * name of the directory) and `description` (1 to 1024 characters). They are read once; call it again to see changes. Only
 * files of `trusted()` count. At most 100 skills of 64 KiB, with 32 Ki characters of names and descriptions; what is broken or
 * too much is named in `warnings` and left out. A `root` that does not exist has none.
 */
export async function skills(files: Vfs, root = '/skills'): Promise<Skills> {
  const list: Skill[] = []
  const warnings: string[] = []
  const leaveOut = (path: string, why: string): void => void warnings.push(`"${path}" is left out: ${why}`)
  for (const directory of await directoriesOf(files, normalizePath(root), leaveOut)) {
    const read = await readSkill(files, directory)
    if (read === undefined) continue
    const why = typeof read === 'string' ? read : tooMuch([...list, read])
    if (typeof read !== 'string' && why === undefined) list.push(read)
    else leaveOut(joinPath(directory, skillFile), why ?? '')
  }
  return { instructions: told(list), tools: list.length === 0 ? [] : [loadSkill(files, list)], list, warnings }
}

type LeaveOut = (path: string, why: string) => void

async function directoriesOf(files: Vfs, root: string, leaveOut: LeaveOut): Promise<readonly string[]> {
  const directories: string[] = []
  try {
    for await (const { name, type } of entriesOf(files, root)) {
      if (type !== 'dir' || name.startsWith('.')) continue
      if (directories.length < mostDirectories) directories.push(joinPath(root, name))
      else {
        leaveOut(joinPath(root, name), `it and what follows is more than ${mostDirectories} directories`)
        break
      }
    }
  } catch (error) {
    if (!isSameloopError(error) || !error.code.startsWith('vfs-')) throw error
    if (error.code !== 'vfs-not-found') leaveOut(root, error.message)
  }
  return directories
}

/** The skill, what is wrong with it, or nothing where the directory has none. */
async function readSkill(files: Vfs, directory: string): Promise<Skill | string | undefined> {
  const { text, ...rest } = await trustedText(files, joinPath(directory, skillFile), { maxBytes: maxSkillBytes })
  if (text === undefined) return 'why' in rest ? rest.why : undefined
  const head = frontMatter(text)
  if (typeof head === 'string') return head
  const name = head.fields.get('name')
  const description = head.fields.get('description')?.replace(/\s+/g, ' ').trim()
  return nameProblem(name, directory) ?? descriptionProblem(description) ?? skillOf(directory, name, description)
}

const skillOf = (directory: string, name = '', description = ''): Skill => ({ name, description, directory })

function nameProblem(name: string | undefined, directory: string): string | undefined {
  if (name === undefined) return 'it has no name'
  if (!/^(?=.{1,64}$)[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name))
    return `expected a name of 1 to 64 lowercase letters, digits and single hyphens, got ${JSON.stringify(name.slice(0, 80))}`
  return directory.endsWith(`/${name}`) ? undefined : `its name is "${name}", and its directory has another`
}

function descriptionProblem(description: string | undefined): string | undefined {
  if (!description) return 'it has no description'
  return description.length > 1024
    ? `expected a description of at most 1024 characters, got ${description.length}`
    : undefined
}

function tooMuch(list: readonly Skill[]): string | undefined {
  if (list.length > mostSkills) return `at most ${mostSkills} skills are told of`
  const listed = list.reduce((sum, skill) => sum + lineOf(skill).length, 0)
  return listed > mostListed ? `at most ${mostListed} characters of names and descriptions are told` : undefined
}

const lineOf = ({ name, description }: Skill): string => `- ${name}: ${description}`

function told(list: readonly Skill[]): string {
  if (list.length === 0) return ''
  const lead = 'Skills, which hold instructions for certain tasks. Before such a task, read its skill with load_skill:'
  return [lead, ...list.map(lineOf)].join('\n')
}
