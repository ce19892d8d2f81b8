// How long the shell takes to start, to run a command and to be ended. Printed with `--measure`, held by nobody.
import { memoryFiles } from '../../../../src/vfs/memory.ts'
import { say } from '../report.ts'
import type { MakeShell } from './case.ts'

/** Put in by the bundler. */
declare const MEASURE: boolean

async function timeOf(work: () => Promise<unknown>): Promise<string> {
  const begun = performance.now()
  await work()
  return `${(performance.now() - begun).toFixed(1)} ms`
}

const commands = 20

/** Says it; nothing without `--measure`. */
export async function measureShell(make: MakeShell): Promise<void> {
  if (!MEASURE) return
  const sandbox = make()
  const fs = memoryFiles({ files: { '/a.txt': 'one\ntwo\n' } })
  const run = (command: string, signal?: AbortSignal) => sandbox.exec({ command, fs, signal })
  const cold = await timeOf(async () => sandbox.warm?.())
  const first = await timeOf(() => run('grep -c o a.txt'))
  const warm = await timeOf(async () => {
    for (let count = 0; count < commands; count++) await run('grep -c o a.txt')
  })
  const parts = [`cold start ${cold}`, `the first command ${first}`, `${commands} more ${warm}`]
  if (sandbox.hardKill) {
    const control = new AbortController()
    const endless = run('sleep 1000', control.signal)
    await new Promise((resolve) => setTimeout(resolve, 200))
    const killed = await timeOf(() => {
      control.abort()
      return endless
    })
    parts.push(`an end at once ${killed}`, `the command after it ${await timeOf(() => run('true'))}`)
  }
  await sandbox.dispose()
  say(`shell: ${parts.join(', ')}`)
}
