// A clause while its parts are handed out to the parameters of one tool.
import type { ToolDefinition } from '../message/model-event.ts'
import type { Entity } from '../utterance/entity.ts'
import type { OpenText } from '../utterance/open-text.ts'

/** What earlier calls gave: `$1` is `values[0]`; "it" and `$last` are the last. */
export interface Known {
  readonly values: readonly string[]
  readonly last: string | undefined
  /** Whether the last says of itself that it is not whole. */
  readonly isCut?: boolean
}

/** A clause with what it names and what was before it. */
export interface Clear extends OpenText {
  readonly entities: readonly Entity[]
  readonly known: Known
}

/** One reading of a clause for one tool; `used` and `refersBack` change while its slots are filled. */
export interface Reading extends Clear {
  readonly tool: ToolDefinition
  readonly used: Set<Entity>
  refersBack: boolean
}

/** The first thing of this kind that no parameter took yet; `test` narrows it. */
export function take(
  { entities, used }: Reading,
  type: Entity['type'],
  test: (entity: Entity) => boolean = () => true,
): string | undefined {
  const entity = entities.find((one) => one.type === type && !used.has(one) && test(one))
  if (entity) used.add(entity)
  return entity?.value
}

const reference =
  /^(?:and )?(?:all )?(?:of )?(?:it|that|this|them|those|these|(?:(?:the|that|its|this) )?(?:(?:whole|full|final) )?(?:total|count|number|sum|results?|answer|output|contents?|text|list|response|value|lines|matches|summary|product|difference|forecast|weather|data|json|reply)(?: of (?:it|that|them))?)$/i

/** Whether a phrase means what came before: "it", "the total", "the result". */
export const isReference = (phrase: string): boolean => reference.test(phrase)

/** How many characters of earlier results may still be put in. */
export interface Room {
  left: number
}

// @__NO_SIDE_EFFECTS__
export const fullRoom = (): Room => ({ left: 1_000_000 })

/** `$1`, `$last` and the like replaced by earlier results; `undefined` where one is not there or is too long. */
export function insertResults(text: string, { values, last }: Known, room: Room = fullRoom()): string | undefined {
  const filled = text.replace(/\$(\d{1,2}|last)\b/g, (_, name: string) => {
    const value = name === 'last' ? last : values[Number(name) - 1]
    room.left -= value?.length ?? Infinity
    return room.left < 0 ? '' : (value ?? '')
  })
  return room.left < 0 ? undefined : filled
}
