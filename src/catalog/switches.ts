// Which tools of a registry may be used at the moment: switched off by name, or forbidden by a predicate.
import { guarded } from '../error/guard.ts'
import type { Rule, StepFacts } from '../tool/rule.ts'

/** Whether a tool may be used, by whom: `facts` has the session and the `deps` of the run. */
export type Permission = (tool: { readonly name: string; readonly uri: string }, facts: StepFacts) => boolean

export interface Switches {
  readonly rule: Rule
  advertises(name: string, uri: string, facts: StepFacts): boolean
  enable(uri: string): void
  disable(uri: string): void
  isDisabled(uri: string): boolean
  allow(permission: Permission): void
}

/** An alias is permitted what the tool is permitted under its own name too. */
function namesOf(name: string, uri: string): readonly string[] {
  const registered = uri.replace(/^(fn|agent):\/\//, '')
  return name === registered || name === uri ? [name] : [name, registered]
}

export function switches(): Switches {
  const disabled = new Set<string>()
  const permissions: Permission[] = []
  const isPermitted = (name: string, uri: string, facts: StepFacts): boolean =>
    namesOf(name, uri).every((one) =>
      permissions.every((permission) => guarded(() => permission({ name: one, uri }, facts), false)),
    )
  return {
    rule(facts) {
      const { name, uri } = facts
      if (disabled.has(uri)) return { action: 'deny', reason: `The tool "${name}" is switched off` }
      if (!isPermitted(name, uri, facts)) return { action: 'deny', reason: `The tool "${name}" is not permitted here` }
      return undefined
    },
    advertises: (name, uri, facts) => !disabled.has(uri) && isPermitted(name, uri, facts),
    enable: (uri) => void disabled.delete(uri),
    disable: (uri) => void disabled.add(uri),
    isDisabled: (uri) => disabled.has(uri),
    allow: (permission) => void permissions.push(permission),
  }
}
