// Whether a name reaches models as it is, and can be told from the others.
import { safeName } from '../../tool/tool-names.ts'
import { finding } from './finding.ts'
import type { LintFinding, Told } from './finding.ts'

/** For each tool. */
export function nameFindings(tools: readonly Told[]): readonly (readonly LintFinding[])[] {
  const shown = new Map<string, string>()
  return tools.map((tool) => {
    const { name } = tool
    const safe = safeName(name)
    const findings: LintFinding[] = []
    if (name.length > 64 && safe.length === 64)
      findings.push(
        finding(tool, 'name-form', `The name has ${name.length} characters; models see the first 64 of it, "${safe}"`),
      )
    else if (safe !== name)
      findings.push(finding(tool, 'name-form', `Models see the name as "${safe}": use 1 to 64 of a-z A-Z 0-9 _ -`))
    const key = safe.toLowerCase()
    const other = shown.get(key)
    if (other === undefined) shown.set(key, name)
    else
      findings.push(
        finding(tool, 'name-taken', takenWords(other, safe), { severity: other === name ? 'error' : 'warning' }),
      )
    return findings
  })
}

const takenWords = (other: string, safe: string): string =>
  safeName(other) === safe
    ? `Models see the same name for "${other}", so one of them gets a number`
    : `It differs from "${other}" in upper and lower case alone, which models mix up`
