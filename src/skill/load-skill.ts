// The tool by which a model reads a skill, and the files that belong to it.
import { objectInput } from '../builtin/json-input.ts'
import { isSameloopError } from '../error/error.ts'
import { fail, ok } from '../tool/tool.ts'
import type { Tool, ToolAnswer } from '../tool/tool.ts'
import { joinPath, pathWithin } from '../vfs/path.ts'
import type { Vfs } from '../vfs/vfs.ts'
import { walk } from '../vfs/walk.ts'
import { frontMatter } from './front-matter.ts'
import { maxSkillBytes, skillFile } from './skill.ts'
import type { Skill } from './skill.ts'
import { trustedText } from './trusted-text.ts'

interface LoadInput {
  readonly name: string
  readonly file?: string
}

const mostFiles = 50

/** `load_skill { name, file? }`: the instructions of a skill with a list of its files, or one of them. */
export function loadSkill(files: Vfs, list: readonly Skill[]): Tool {
  const known = new Map(list.map((skill) => [skill.name, skill]))
  const tool: Tool<LoadInput> = {
    name: 'load_skill',
    description: 'Reads the instructions of a skill, or one of the files that belong to it.',
    input: objectInput<LoadInput>(
      {
        name: { type: 'string', enum: [...known.keys()], description: 'Which skill' },
        file: {
          type: 'string',
          description: 'A file of the skill, for example "reference.md". Default: its instructions',
        },
      },
      ['name'],
    ),
    effect: 'read',
    execute: async ({ name, file }, { signal }) => {
      const skill = known.get(name)
      if (!skill) return fail(`Expected a skill of ${[...known.keys()].join(', ')}`)
      return file === undefined
        ? instructionsOf(files, skill, signal)
        : fileOf(files, joinPath(skill.directory, file), signal)
    },
  }
  return tool as Tool
}

async function instructionsOf(files: Vfs, { directory }: Skill, signal: AbortSignal): Promise<ToolAnswer> {
  const path = joinPath(directory, skillFile)
  const { text, ...rest } = await trustedText(files, path, { maxBytes: maxSkillBytes, signal })
  if (text === undefined) return missing(path, rest)
  const head = frontMatter(text)
  const body = typeof head === 'string' ? text : head.body
  const names = await namesIn(files, directory, signal)
  if (names.length === 0) return ok(body.trim())
  return ok(
    `${body.trim()}\n\nFiles of this skill, in "${directory}", which load_skill reads too:\n${names.join('\n')}`,
  )
}

async function fileOf(files: Vfs, path: string, signal: AbortSignal): Promise<ToolAnswer> {
  const { text, ...rest } = await trustedText(files, path, { maxBytes: maxSkillBytes, signal })
  return text === undefined ? missing(path, rest) : ok(text)
}

const missing = (path: string, { why = 'there is no such file' }: { readonly why?: string }): ToolAnswer =>
  fail(`Cannot read "${path}": ${why}`)

/** The other files, from the directory of the skill. */
async function namesIn(files: Vfs, directory: string, signal: AbortSignal): Promise<readonly string[]> {
  const names: string[] = []
  try {
    for await (const { path, type } of walk(files, directory, { hidden: false, signal })) {
      const name = pathWithin(directory, path).slice(1)
      if (type !== 'file' || name === skillFile) continue
      if (names.length === mostFiles) return [...names, '[there are more]']
      names.push(JSON.stringify(name))
    }
  } catch (error) {
    if (!isSameloopError(error) || !error.code.startsWith('vfs-')) throw error
  }
  return names
}
