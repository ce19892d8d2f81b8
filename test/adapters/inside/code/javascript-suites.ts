// The suites of `javascript` for one runtime.
import { sandboxContract } from '../../../../src/testing/contract/sandbox.ts'
import type { Sandbox } from '../../../../src/sandbox/sandbox.ts'
import { say } from '../report.ts'
import type { Suite } from '../report.ts'
import { agentCases } from './javascript-agent.ts'
import { javascriptCases } from './javascript-cases.ts'
import { hostileCases } from './javascript-hostile.ts'
import { inThreadPrograms, javascriptPrograms } from './javascript-programs.ts'

export interface JavaScriptSuites {
  readonly make: () => Sandbox
  readonly endless?: string | undefined
}

export function javascriptSuites({ make, endless }: JavaScriptSuites): readonly Suite[] {
  const name = 'javascript'
  const isWorker = make().hardKill
  const programs = isWorker ? javascriptPrograms : inThreadPrograms
  const gaps: number[] = []
  const onGap = (ms: number): void => void gaps.push(ms)
  say(() => {
    const words = `${name}: the longest time this thread stood still under hostile programs`
    return gaps.length > 0 ? `${words}: ${Math.max(...gaps)} ms` : undefined
  })
  return [
    { name, cases: [...sandboxContract(async () => make(), programs), ...javascriptCases(make), ...agentCases(make)] },
    { name: `${name}, hostile`, cases: hostileCases({ make, isWorker, endless, ...(isWorker && { onGap }) }) },
  ]
}
