// The suites of `javascript` for one runtime.
import { sandboxContract } from '../../../../src/testing/contract/sandbox.ts'
import type { Sandbox } from '../../../../src/sandbox/sandbox.ts'
import type { Suite } from '../report.ts'
import { agentCases } from './javascript-agent.ts'
import { javascriptCases } from './javascript-cases.ts'
import { hostileCases } from './javascript-hostile.ts'
import { inThreadPrograms, javascriptPrograms } from './javascript-programs.ts'

export interface JavaScriptSuites {
  readonly make: () => Sandbox
  /** Gets what is to be printed, when the suites have run. */
  readonly lines: string[]
  readonly endless?: string | undefined
}

export function javascriptSuites({ make, lines, endless }: JavaScriptSuites): readonly Suite[] {
  const name = 'javascript'
  const isWorker = make().hardKill
  const programs = isWorker ? javascriptPrograms : inThreadPrograms
  const gaps: number[] = []
  const onGap = (ms: number): void => {
    gaps.push(ms)
    const words = `${name}: the longest time this thread stood still under hostile programs`
    lines.splice(
      0,
      lines.length,
      ...lines.filter((line) => !line.startsWith(words)),
      `${words}: ${Math.max(...gaps)} ms`,
    )
  }
  return [
    { name, cases: [...sandboxContract(async () => make(), programs), ...javascriptCases(make), ...agentCases(make)] },
    { name: `${name}, hostile`, cases: hostileCases({ make, isWorker, endless, ...(isWorker && { onGap }) }) },
  ]
}
