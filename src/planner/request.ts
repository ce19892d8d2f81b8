// A clause while its parts are handed out to parameters.
import type { Entity } from './entity.ts'
import { pattern } from './vocabulary.ts'

/** What earlier calls gave: `$1` is `values[0]`; "it" and `$last` are the last. */
export interface Known {
  readonly values: readonly string[]
  readonly last: string | undefined
  /** Whether the last says of itself that it is not whole. */
  readonly isCut?: boolean
}

/** One reading of a clause for one tool. `used` grows while its slots are filled. */
export interface Reading {
  readonly text: string
  readonly entities: readonly Entity[]
  readonly used: Set<Entity>
  readonly known: Known
}

export function startReading(text: string, entities: readonly Entity[], known: Known): Reading {
  return { text, entities, used: new Set(), known }
}

/** The first thing of this kind that no parameter took yet; `test` narrows it. */
export function take(
  reading: Reading,
  type: Entity['type'],
  test: (entity: Entity) => boolean = () => true,
): string | undefined {
  const entity = reading.entities.find((one) => one.type === type && !reading.used.has(one) && test(one))
  if (entity) reading.used.add(entity)
  return entity?.value
}

const nouns =
  'total|count|number|sum|result|results|answer|output|contents?|text|list|response|value|lines|matches|summary|' +
  'product|difference|forecast|weather|data|json|reply'

/** Whether a phrase means what came before: "it", "the total", "the result". */
export function isReference(phrase: string): boolean {
  return pattern(
    '^(?:and )?(?:all )?(?:of )?(?:it|that|this|them|those|these|(?:(?:the|that|its|this) )?(?:(?:whole|full|final) )?',
    `(?:${nouns})(?: of (?:it|that|them))?)$`,
  ).test(phrase.trim())
}

/** `$1`, `$last` and the like replaced by earlier results; `undefined` where one is not there. */
export function insertResults(text: string, known: Known): string | undefined {
  let isMissing = false
  const filled = text.replace(/\$(\d{1,2}|last)\b/g, (_, name: string) => {
    const value = name === 'last' ? known.last : known.values[Number(name) - 1]
    isMissing ||= value === undefined
    return value ?? ''
  })
  return isMissing ? undefined : filled
}
