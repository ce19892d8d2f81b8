// Programs that models write, in a sandbox that can call their other tools.
import { SameloopError } from '../error/error.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { Environment } from '../tool/environment.ts'
import type { Policy } from '../tool/rule.ts'
import type { Tool } from '../tool/tool.ts'
import { isOverlay } from '../overlay/cow.ts'
import { readOnly } from '../wrapper/read-only.ts'
import { selection } from './include.ts'
import { objectInput } from './json-input.ts'
import { limitMs, timeFor, told } from './run-tool.ts'
import { workspace } from './workspace.ts'

export interface CodeToolsOptions {
  /** `code` must be there. */
  readonly env: Environment
  /** Narrows files and time further than the agent's own policy does. */
  readonly policy?: Policy | undefined
  /** `run_javascript`, `run_python`, or patterns with `*`. Default: all that the sandbox can run. */
  readonly include?: readonly string[] | undefined
}

interface CodeInput {
  readonly code: string
  readonly timeoutMs?: number
}

const languages = {
  run_javascript: { language: 'javascript', label: 'JavaScript', example: 'return [1, 2, 3].map((n) => n * n)' },
  run_python: { language: 'python', label: 'Python', example: 'print(sum(range(10)))' },
} as const

/**
 * `run_javascript` and `run_python { code, timeoutMs? }`, as far as `env.code` speaks the language. A program reads the
 * files; it writes them itself only where they are an overlay, else through tools, each call of which goes through
 * policy and approval. It has no network of its own. `config-missing-capability` where the environment has no `code`,
 * `config-invalid` for an `include` that names no tool.
 */
export function codeTools({ env, policy, include }: CodeToolsOptions): Tool[] {
  const { code: sandbox } = env
  if (!sandbox)
    throw new SameloopError('config-missing-capability', 'The env has no code: wanted a sandbox for programs', {
      data: { capability: 'code' },
    })
  const wanted = selection(include, Object.keys(languages))
  return Object.entries(languages).flatMap(([name, facts]) =>
    wanted(name) && sandbox.languages.includes(facts.language)
      ? [codeTool(name, facts, { env, policy, sandbox }) as Tool]
      : [],
  )
}

interface Making extends Pick<CodeToolsOptions, 'env' | 'policy'> {
  readonly sandbox: Sandbox
}

function codeTool(
  name: string,
  { label, example }: (typeof languages)[keyof typeof languages],
  { env, policy, sandbox }: Making,
): Tool<CodeInput> {
  const longest = limitMs(policy)
  const { fs } = env
  const space = fs && workspace({ ...env, fs }, policy)
  const writes = fs !== undefined && isOverlay(fs)
  return {
    name,
    description: `Runs a ${label} program and gives what it printed and returned. ${sandbox.describe()}${
      fs && !writes ? ' Files can be read; write them with tools.' : ''
    }`,
    input: objectInput<CodeInput>(
      {
        code: { type: 'string', minLength: 1, description: `For example "${example}"` },
        timeoutMs: { type: 'integer', description: `At most ${longest}, which is the default` },
      },
      ['code'],
    ),
    // What its calls of tools do is noted with them.
    effect: writes ? 'local' : 'read',
    timeoutMs: longest + 10_000,
    execute: async ({ code, timeoutMs }, context) => {
      const files = space?.files(context)
      return told(
        await context.code.exec({
          command: code,
          timeoutMs: timeFor(timeoutMs, longest),
          fs: files && (writes ? files : readOnly(files)),
          fetch: undefined,
        }),
      )
    },
  }
}
