// A command line for models, over the files that the file tools see.
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { Policy } from '../tool/rule.ts'
import type { Tool } from '../tool/tool.ts'
import { objectInput } from './json-input.ts'
import { isVirtual, limitMs, timeFor, told } from './run-tool.ts'
import type { Workspace } from './workspace.ts'

interface ShellInput {
  readonly command: string
  readonly cwd?: string
  readonly stdin?: string
  readonly timeoutMs?: number
}

export interface ShellToolOptions {
  readonly sandbox: Sandbox
  /** Absent where the environment has no files: the sandbox then has its own. */
  readonly space: Workspace | undefined
  readonly policy: Policy | undefined
  /** Whether commands reach the network, as far as the policy lets them. */
  readonly network: boolean
}

/**
 * `shell { command, cwd?, stdin?, timeoutMs? }`. A person is asked first, unless it can only change an overlay that can
 * be dropped. Without network its effect is that on the files alone.
 */
export function shellTool({ sandbox, space, policy, network }: ShellToolOptions): Tool<ShellInput> {
  const longest = limitMs(policy)
  const contained = isVirtual(sandbox) && !network
  return {
    name: 'shell',
    description: `Runs a shell command over the workspace files and gives what it printed. ${sandbox.describe()}`,
    input: objectInput<ShellInput>(
      {
        command: { type: 'string', minLength: 1, description: 'For example "grep -rn TODO src | head"' },
        cwd: { type: 'string', description: 'Directory to run in. Default: where the last command ended' },
        stdin: { type: 'string', description: 'Text for its standard input' },
        timeoutMs: { type: 'integer', description: `At most ${longest}, which is the default` },
      },
      ['command'],
    ),
    effect: contained ? 'local' : 'unsafe',
    mode: 'exclusive',
    // The sandbox's own limit comes first, and leaves time to tell.
    timeoutMs: longest + 10_000,
    examples: ['run ls -la', 'execute a command'],
    approval: async () => !contained || (space !== undefined && (await space.asks('.'))),
    describeCall: (value) => {
      const { command, cwd } = value as { readonly command: string; readonly cwd?: string }
      return { summary: `Run in the shell${cwd === undefined ? '' : ` in ${JSON.stringify(cwd)}`}`, details: command }
    },
    execute: async ({ command, cwd, stdin, timeoutMs }, context) =>
      told(
        await context.shell.exec({
          command,
          cwd,
          stdin,
          timeoutMs: timeFor(timeoutMs, longest),
          fs: space?.files(context),
          ...(network ? {} : { fetch: undefined }),
        }),
      ),
  }
}
