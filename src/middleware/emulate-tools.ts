// Answers for tools that do not run: dry runs, tests, demos.
import { toolNames } from '../tool/tool-names.ts'
import type { Middleware, ToolCall } from './middleware.ts'

/** What a tool is said to have returned; it is checked against the tool's output schema like the real thing. */
export type Emulated = (call: ToolCall) => unknown

/**
 * By tool name or URI, patterns included (an alias hides no tool), or one function for all. A tool that is not named runs. To let nothing run, end with `denyTools(['*'])`
 * or give a function. A throw is the failure that the tool would have thrown.
 */
export function emulateTools(answers: Readonly<Record<string, Emulated>> | Emulated): Middleware {
  const all = typeof answers === 'function' ? { '*': answers } : answers
  const tests = Object.entries(all).map(([key, answer]) => ({ answer, isNamed: toolNames([key]) }))
  return {
    name: 'emulate-tools',
    async tool(call, next) {
      const { answer } = tests.find(({ isNamed }) => isNamed(call.name, call.uri)) ?? {}
      return answer ? call.outcomeOf(await answer(call)) : next(call)
    },
  }
}
