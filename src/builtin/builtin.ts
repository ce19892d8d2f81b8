// The tools that come with the library.
import { SameloopError } from '../error/error.ts'
import { starTest } from '../pattern/star.ts'
import type { Environment } from '../tool/environment.ts'
import type { Policy } from '../tool/rule.ts'
import type { Tool } from '../tool/tool.ts'
import { askHuman } from './ask-human.ts'
import { calculator } from './calculator.ts'
import { fsExists, fsGlob, fsGrep, fsList, fsRead } from './read-tools.ts'
import { workspace } from './workspace.ts'
import { fsDelete, fsEdit, fsPatch, fsWrite } from './write-tools.ts'

export interface BuiltinOptions {
  /** File tools come where it has `fs`; those that write, where the files can be written. */
  readonly env: Environment
  /** Narrows the files further than the agent's own policy does. */
  readonly policy?: Policy | undefined
  /** Names, `*` for any run of characters: `['calculator', 'fs_*']`. Default: all. */
  readonly include?: readonly string[] | undefined
}

const alone = { calculator, ask_human: askHuman } as const
const reading = { fs_read: fsRead, fs_list: fsList, fs_glob: fsGlob, fs_grep: fsGrep, fs_exists: fsExists } as const
const writing = { fs_write: fsWrite, fs_edit: fsEdit, fs_patch: fsPatch, fs_delete: fsDelete } as const

/**
 * The calculator, `ask_human` and, over the files of the environment, `fs_read fs_list fs_glob fs_grep fs_exists fs_write fs_edit
 * fs_patch fs_delete`. They use the files of the call, which the agent's policy has confined. `config-invalid` for an
 * `include` that names no tool.
 */
export function builtinTools({ env, policy, include }: BuiltinOptions): Tool[] {
  const wanted = selection(include)
  const tools = Object.entries(alone).flatMap(([name, make]) => (wanted(name) ? [make()] : []))
  if (env.fs === undefined) return tools
  const space = workspace({ ...env, fs: env.fs }, policy)
  const makers = Object.entries(space.readOnly ? reading : { ...reading, ...writing })
  for (const [name, make] of makers) if (wanted(name)) tools.push(make(space))
  return tools
}

function selection(include: readonly string[] | undefined): (name: string) => boolean {
  if (include === undefined) return () => true
  const tests = include.map(starTest)
  const names = [...Object.keys(alone), ...Object.keys(reading), ...Object.keys(writing)]
  const useless = include.find((_, index) => !names.some(tests[index]!))
  if (useless !== undefined) {
    throw new SameloopError(
      'config-invalid',
      `Cannot include "${useless}": wanted one of ${names.join(', ')}, or a pattern with "*"`,
    )
  }
  return (name) => tests.some((test) => test(name))
}
