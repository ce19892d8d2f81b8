// Which tools an agent may use: shown to the model, and found when called, only if the lists say so.
import type { ToolDefinition } from '../message/model-event.ts'
import type { Rule, StepFacts } from '../tool/rule.ts'
import { toolNames } from '../tool/tool-names.ts'
import type { Middleware } from './middleware.ts'

/**
 * Only these tools: exact names, `fs_*`, `rest://shop.*`. The others are neither shown nor run, also when another tool
 * calls them.
 */
export function allowTools(patterns: readonly string[]): Middleware {
  const isAllowed = toolNames(patterns)
  return { name: 'allow-tools', advertises: isAllowed, rules: [ruleOf((name, uri) => !isAllowed(name, uri))] }
}

/** All tools but these. */
export function denyTools(patterns: readonly string[]): Middleware {
  const isDenied = toolNames(patterns)
  return { name: 'deny-tools', advertises: (name, uri) => !isDenied(name, uri), rules: [ruleOf(isDenied)] }
}

const ruleOf =
  (isRefused: (name: string, uri: string) => boolean): Rule =>
  ({ name, uri }) =>
    isRefused(name, uri)
      ? { action: 'deny', reason: `The tool "${name}" is not among those this agent may use` }
      : undefined

/**
 * Chooses the tools of each step, so that a model with hundreds of them reads a few. `choose` answers the names to show,
 * as models see them; `undefined` shows all. What is not shown is refused when called.
 */
export function selectTools(
  choose: (tools: readonly ToolDefinition[], facts: StepFacts) => readonly string[] | undefined,
): Middleware {
  return {
    name: 'select-tools',
    definitions(list, facts) {
      const names = choose(list, facts)
      return names ? list.filter(({ name }) => names.includes(name)) : list
    },
  }
}
