// Which tools may be called: by name, or by URI where the pattern has a scheme.
import type { Rule } from '../tool/rule.ts'
import { toolNames } from '../tool/tool-names.ts'
import type { NameTest } from '../tool/tool-names.ts'

export interface ToolLimits {
  /** Where given, only these. An empty list allows none. */
  readonly allow?: readonly string[] | undefined
  /** Never these: not shown to the model, and refused when called. */
  readonly deny?: readonly string[] | undefined
  /** A person is asked first. */
  readonly ask?: readonly string[] | undefined
}

/** The rule for calls, and the test for what the model is told of. */
export function toolRule(limits: ToolLimits = {}): { readonly rule: Rule; readonly advertises: NameTest } {
  const allowed = limits.allow === undefined ? () => true : toolNames(limits.allow)
  const denied = toolNames(limits.deny ?? [])
  const asked = toolNames(limits.ask ?? [])
  const advertises: NameTest = (name, uri) => allowed(name, uri) && !denied(name, uri)
  const rule: Rule = ({ name, uri }) => {
    if (denied(name, uri)) return { action: 'deny', reason: `The policy denies the tool "${name}"` }
    if (!allowed(name, uri))
      return { action: 'deny', reason: `The tool "${name}" is not on the policy's list of allowed tools` }
    if (asked(name, uri)) return { action: 'ask', reason: `The policy asks before the tool "${name}" is used` }
    return undefined
  }
  return { rule, advertises }
}
