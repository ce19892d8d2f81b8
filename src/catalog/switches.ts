// Which tools of a registry may be used at the moment: switched off by name, or forbidden by a predicate.
import { guarded } from '../error/guard.ts'
import type { Rule, StepFacts } from '../tool/rule.ts'

/** Whether a tool may be used, by whom: `facts` has the session and the `deps` of the run. */
export type Permission = (tool: { readonly name: string; readonly uri: string }, facts: StepFacts) => boolean

export interface Switches {
  readonly rule: Rule
  advertises(name: string, uri: string, facts: StepFacts): boolean
  /** Hides a name: it is for calls alone. */
  alias(name: string): void
  enable(uri: string): void
  disable(uri: string): void
  isDisabled(uri: string): boolean
  allow(permission: Permission): void
}

export function switches(): Switches {
  const disabled = new Set<string>()
  const aliases = new Set<string>()
  const permissions: Permission[] = []
  const isPermitted = (name: string, uri: string, facts: StepFacts): boolean =>
    permissions.every((permission) => guarded(() => permission({ name, uri }, facts), false))
  return {
    rule(facts) {
      const { name, uri } = facts
      if (disabled.has(uri)) return { action: 'deny', reason: `The tool "${name}" is switched off` }
      if (!isPermitted(name, uri, facts)) return { action: 'deny', reason: `The tool "${name}" is not permitted here` }
      return undefined
    },
    advertises: (name, uri, facts) => !aliases.has(name) && !disabled.has(uri) && isPermitted(name, uri, facts),
    alias: (name) => void aliases.add(name),
    enable: (uri) => void disabled.delete(uri),
    disable: (uri) => void disabled.add(uri),
    isDisabled: (uri) => disabled.has(uri),
    allow: (permission) => void permissions.push(permission),
  }
}
