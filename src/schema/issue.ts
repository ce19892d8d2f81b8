// Words about what does not fit, precise enough for a model to mend it.
import { cut, excerpt } from '../json/text.ts'
import { own } from '../json/value.ts'
import { toPointer } from '../json/pointer.ts'
import type { Issue } from './schema.ts'

/**
 * One line for each issue, at most 8: where, what was expected, what came. `expected` may word the expectation (that of
 * `keywords.ts` reads it from the JSON Schema); else the validator's own message stands there.
 */
export function issueText(
  issues: readonly Issue[],
  value: unknown,
  expected?: (issue: Issue, place: unknown) => string | undefined,
): string {
  const mostIssues = 8
  const lines = issues.slice(0, mostIssues).map((issue) => {
    const { path, message } = issue
    const place = path.reduce<unknown>(own, value)
    const words = expected?.(issue, place) ?? cut(message, 300).replace(/\.$/, '')
    return `${toPointer(path) || 'The value'}: ${words}, received ${excerpt(place)}`
  })
  const rest = issues.length - lines.length
  return [...new Set(lines), ...(rest > 0 ? [`${rest} more`] : [])].join('\n')
}
