// Which JSON types a reference may stand for, as far as the tool that makes the value says it.
import { own } from '../json/value.ts'
import type { JsonObject } from '../json/value.ts'
import { subRunOf } from '../registry/sub-run.ts'
import type { Entry } from '../registry/table.ts'
import { resolve, wantedTypes } from '../schema/fit.ts'
import type { JsonSchema } from '../schema/schema.ts'
import { keysOf } from './reference.ts'
import type { Reference, StepOptions } from './step.ts'

/** A step with the tool that makes its value. */
export interface Producer {
  readonly step: StepOptions
  readonly entry: Entry | undefined
}

export type FindProducer = (id: string) => Producer | undefined

/** The JSON types, `integer` among them; none where it is not known. */
export function typesOf(reference: Reference, producerOf: FindProducer): readonly string[] {
  const producer = '$from' in reference ? producerOf(reference.$from) : undefined
  // In place of a failure there may be anything.
  if (!producer || typeof producer.step.onError === 'object') return []
  const keys = keysOf(reference)
  if (producer.step.forEach === undefined) return typesIn(producer, keys)
  return keys.length ? typesIn(producer, keys.slice(1)) : ['array']
}

/** As `registry.call` gives the value: an object as its schema says, anything else under `result`. */
function typesIn({ entry }: Producer, keys: readonly string[]): readonly string[] {
  if (!entry) return []
  const isRun = subRunOf(entry.tool) !== undefined
  const json = isRun ? subRunOf(entry.tool)?.output : entry.output?.json
  if (json?.['type'] === 'object') return typesAt(json, keys)
  if (isRun) return []
  if (!keys.length) return ['object']
  return keys[0] === 'result' && json ? typesAt(json, keys.slice(1)) : []
}

function typesAt(root: JsonSchema, keys: readonly string[]): readonly string[] {
  let schema = resolve(root, root)
  for (const key of keys) {
    const child = childOf(schema, key)
    if (child === undefined) return []
    schema = resolve(root, child)
  }
  return wantedTypes(schema)
}

/** Only what the schema names: of other properties nothing is sure. */
function childOf(schema: JsonSchema, key: string): unknown {
  const named = own(schema['properties'], key)
  if (named !== undefined || !/^\d+$/.test(key)) return named
  const { prefixItems, items } = schema as JsonObject
  return prefixItems === undefined && !Array.isArray(items) ? items : undefined
}

/** Whether some value of the type `from` may pass where one of the types is wanted, after coercion. */
export function canBecome(from: string, wanted: readonly string[], coerce: Entry['tool']['coerce']): boolean {
  const isNumber = from === 'number' || from === 'integer'
  return wanted.some((type) => {
    if (type === from || (isNumber && (type === 'number' || type === 'integer'))) return true
    if (coerce === 'strict') return false
    // A null is left out where the property is optional.
    if (from === 'null') return true
    // A text may hold JSON of any type.
    if (from === 'string') return type !== 'null'
    if (isNumber && type === 'boolean') return true
    return coerce === 'loose' && (type === 'array' || (isNumber && type === 'string'))
  })
}
