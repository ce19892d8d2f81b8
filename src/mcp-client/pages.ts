// Lists that a server gives page by page.
import { jsonText } from '../json/text.ts'
import { own } from '../json/value.ts'
import type { JsonObject } from '../json/value.ts'
import { serverError } from './transport.ts'

export interface Paging {
  /** For messages. */
  readonly name: string
  /** The field of a page that holds its items. */
  readonly key: string
  /** The most items in all. */
  readonly most: number
}

const maxPages = 1000
/** Of all items together: each page alone is as large as an answer may be. */
const maxChars = 64 * 2 ** 20

/**
 * All items. Throws `source-failed` for more than `most`, for more than 64 Mi characters of JSON, for a cursor that comes
 * again, and for what is no page: half a list would be a riddle.
 */
export async function allPages(
  page: (params: JsonObject) => Promise<JsonObject>,
  { name, key, most }: Paging,
): Promise<readonly unknown[]> {
  const items: unknown[] = []
  const seen = new Set<unknown>()
  let cursor: unknown
  let chars = 0
  do {
    const result = await page(cursor === undefined ? {} : { cursor })
    const some = own(result, key)
    if (!Array.isArray(some)) throw serverError(name, `sent a list of ${key} that is none`)
    items.push(...(some as readonly unknown[]).slice(0, most + 1 - items.length))
    chars += jsonText(some)?.length ?? 0
    if (chars > maxChars) throw serverError(name, `sent more than ${maxChars} characters of ${key}`)
    if (items.length > most) throw serverError(name, `has more than ${most} ${key}: raise maxTools`)
    cursor = own(result, 'nextCursor') ?? undefined
    if (seen.has(cursor) || seen.size >= maxPages) throw serverError(name, `never ends its list of ${key}`)
    if (cursor !== undefined) seen.add(cursor)
  } while (cursor !== undefined)
  return items
}
