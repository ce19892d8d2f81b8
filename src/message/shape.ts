// Checks values of unknown make against a few field names and types: what comes from callers, clients and stores.
import { excerpt, own, typeName } from '../schema/json.ts'

/** What each field holds: a JSON type name, `value` for anything but nothing, or one of a list. */
export type Shape = Readonly<Record<string, string | readonly unknown[]>>

/** What is wrong with the first own field of `value` that does not fit, or `undefined`. */
export function misfit(value: unknown, shape: Shape): string | undefined {
  for (const [field, wanted] of Object.entries(shape)) {
    const got = own(value, field)
    const type = typeName(got)
    const fits =
      typeof wanted === 'string' ? wanted === type || (wanted === 'value' && got !== undefined) : wanted.includes(got)
    if (!fits)
      return `"${field}" must be ${typeof wanted === 'string' ? wanted : wanted.join(' or ')}, got ${excerpt(got)}`
  }
  return undefined
}
