// The tools that come with the library.
import type { Environment } from '../tool/environment.ts'
import type { Policy } from '../tool/rule.ts'
import type { Tool } from '../tool/tool.ts'
import { askHuman } from './ask-human.ts'
import { calculator } from './calculator.ts'
import { httpRequest } from './http-request.ts'
import type { HttpOptions } from './http-request.ts'
import { selection } from './include.ts'
import { fsExists, fsGlob, fsGrep, fsList, fsRead } from './read-tools.ts'
import { shellTool } from './shell.ts'
import { todo } from './todo.ts'
import { workspace } from './workspace.ts'
import { fsDelete, fsEdit, fsPatch, fsWrite } from './write-tools.ts'

export interface BuiltinOptions {
  /**
   * File tools come where it has `fs`; those that write, where the files can be written; `shell` and `http_request` where
   * it has a shell and a `fetch`.
   */
  readonly env: Environment
  /**
   * Narrows files and requests further than the agent's own policy does. Without it `http_request` reaches public https
   * addresses at most.
   */
  readonly policy?: Policy | undefined
  /** Names, `*` for any run of characters: `['calculator', 'fs_*']`. Default: all. */
  readonly include?: readonly string[] | undefined
  /** Whether commands of the shell reach the network, as far as the policy lets them. Default false. */
  readonly network?: boolean | undefined
  /** Of `http_request`: credentials by host. */
  readonly http?: HttpOptions | undefined
}

const alone = { calculator, ask_human: askHuman, todo } as const
const reading = { fs_read: fsRead, fs_list: fsList, fs_glob: fsGlob, fs_grep: fsGrep, fs_exists: fsExists } as const
const writing = { fs_write: fsWrite, fs_edit: fsEdit, fs_patch: fsPatch, fs_delete: fsDelete } as const

/**
 * The calculator, `ask_human`, `todo` and, over the files of the environment, `fs_read fs_list fs_glob fs_grep fs_exists fs_write fs_edit
 * fs_patch fs_delete`, `http_request` and `shell`. They use the files and the network of the call, which the agent's policy has
 * confined. `config-invalid` for an `include` that names no tool.
 */
export function builtinTools({ env, policy, include, network = false, http }: BuiltinOptions): Tool[] {
  const wanted = selection(include, Object.keys({ ...alone, ...reading, ...writing, http_request: true, shell: true }))
  const tools = Object.entries(alone).flatMap(([name, make]) => (wanted(name) ? [make()] : []))
  const { fs, shell: sandbox } = env
  const space = fs && workspace({ ...env, fs }, policy)
  const makers = space ? Object.entries(space.readOnly ? reading : { ...reading, ...writing }) : []
  for (const [name, make] of makers) if (space && wanted(name)) tools.push(make(space))
  if (env.fetch && wanted('http_request')) tools.push(httpRequest(env, policy, http) as Tool)
  if (sandbox && wanted('shell')) tools.push(shellTool({ sandbox, space, policy, network }) as Tool)
  return tools
}
