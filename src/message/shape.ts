// Checks values of unknown make against a few field names and types: what comes from callers, clients and stores.
import { excerpt, jsonText } from '../json/text.ts'
import { own, typeName } from '../json/value.ts'

/** What each field holds: JSON type names with ` or ` between (`undefined` is one), `value` for any JSON, or one of a list. */
export type Shape = Readonly<Record<string, string | readonly unknown[]>>

/** What is wrong with the first own field of `value` that does not fit, or `undefined`. */
export function misfit(value: unknown, shape: Shape): string | undefined {
  for (const [field, wanted] of Object.entries(shape)) {
    const got = own(value, field)
    const type = typeName(got)
    const list = typeof wanted === 'string' ? wanted.split(' or ') : wanted
    const fits = wanted === 'value' ? jsonText(got) : list.includes(typeof wanted === 'string' ? type : got)
    if (!fits)
      return `"${field}" must be ${typeof wanted === 'string' ? wanted : wanted.map(String).join(' or ')}, got ${excerpt(got)}`
  }
  return undefined
}
