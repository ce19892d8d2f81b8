// Which tools may be called: by name, or by URI where the pattern has a scheme.
import type { Rule } from '../tool/rule.ts'
import { starTest } from '../pattern/star.ts'

export interface ToolLimits {
  /** Where given, only these. An empty list allows none. */
  readonly allow?: readonly string[] | undefined
  /** Never these: not shown to the model, and refused when called. */
  readonly deny?: readonly string[] | undefined
  /** A person is asked first. */
  readonly ask?: readonly string[] | undefined
}

type NameTest = (name: string, uri: string) => boolean

/**
 * Whether one of the patterns matches a tool. `fs_*` is matched with its name and with its URI without the scheme, so
 * that an alias does not hide it, and with the name that models and people see; `mcp://git.*` with its URI.
 */
function anyOf(patterns: readonly string[]): NameTest {
  const tests = patterns.map((pattern): NameTest => {
    const test = starTest(pattern)
    if (pattern.includes('://')) return (_, uri) => test(uri)
    return (name, uri) => test(name) || test(shownName(name)) || test(uri.slice(uri.indexOf('://') + 3))
  })
  return (name, uri) => tests.some((test) => test(name, uri))
}

/** As models and people see it (numbers after a collision aside): `fs.read` is shown as `fs_read`. */
const shownName = (name: string): string => name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64)

/** The rule for calls, and the test for what the model is told of. */
export function toolRule(limits: ToolLimits = {}): { readonly rule: Rule; readonly advertises: NameTest } {
  const allowed = limits.allow === undefined ? () => true : anyOf(limits.allow)
  const denied = anyOf(limits.deny ?? [])
  const asked = anyOf(limits.ask ?? [])
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
