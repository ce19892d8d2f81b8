// Where a node begins and ends: a value is checked by a raw JSON Schema, and mended as far as coercion goes.
import { plainJson } from '../json/text.ts'
import type { Json } from '../json/value.ts'
import { jsonSchema } from '../schema/check.ts'
import { settle } from '../schema/coerce.ts'
import type { Coercion } from '../schema/coerce.ts'
import type { SchemaLimits } from '../schema/foreign.ts'
import { expectation } from '../schema/keywords.ts'
import { issueText, toSchema } from '../schema/standard.ts'
import type { JsonSchema, Schema } from '../schema/schema.ts'

export type Bounded =
  | { readonly ok: true; readonly value: Json; readonly coercions: readonly Coercion[] }
  /** What does not fit, a line for each place. */
  | { readonly ok: false; readonly message: string }

/**
 * The check of a value by a schema, or of any JSON where there is none. What passes is a copy as plain JSON without keys
 * named `__proto__`, of at most 100 levels; `undefined` counts as null. Throws `schema-invalid` and `schema-unsupported`
 * as `jsonSchema()` does, with the same limits; the check itself does not throw.
 */
export function boundary(schema: JsonSchema | undefined, limits: SchemaLimits = {}): (value: unknown) => Bounded {
  const wanted = schema === undefined ? open : toSchema(jsonSchema(schema, limits), 'input')
  const expected = expectation(wanted.json)
  return (value) => {
    const json = plainJson(value === undefined ? null : value)
    if (json === undefined) return { ok: false, message: 'The value: expected JSON' }
    const settled = settle(wanted, json)
    return settled.ok
      ? { ok: true, value: settled.json, coercions: settled.coercions }
      : { ok: false, message: issueText(settled.issues, json, expected) }
  }
}

const open: Schema = { json: {}, check: (value) => ({ ok: true, value }) }
