// From any Standard Schema to the library's own: its JSON Schema for the model, its validator for the value.
import { describeThrown } from '../error/describe.ts'
import { SameloopError } from '../error/error.ts'
import { jsonText } from '../json/text.ts'
import type { Checked, Issue, JsonSchema, Schema, StandardIssue, StandardSchema } from './schema.ts'

export { issueText } from './issue.ts'

export type Side = 'input' | 'output'

/**
 * Reads a Standard Schema (version 1) that carries its JSON Schema (`~standard.jsonSchema`). `side` says which type the
 * JSON Schema describes: what goes in, or what comes out after transforms. Throws `config-schema-without-json-schema`;
 * `check` throws `schema-unsupported` for an asynchronous validator.
 */
export function toSchema(source: StandardSchema<unknown, unknown>, side: Side): Schema {
  const known = schemas[side].get(source)
  if (known) return known
  const schema: Schema = {
    json: jsonOf(source, side),
    get accepts() {
      return toSchema(source, 'input').json
    },
    check: (value) => runCheck(source, value),
  }
  schemas[side].set(source, schema)
  return schema
}

// A tool is looked at when it is made and when it is registered; its schema is converted once.
const schemas = { input: new WeakMap<object, Schema>(), output: new WeakMap<object, Schema>() }

function jsonOf(source: StandardSchema<unknown, unknown>, side: Side): JsonSchema {
  const { vendor, jsonSchema } = (source as Partial<typeof source> | undefined)?.['~standard'] ?? {}
  if (typeof jsonSchema?.[side] !== 'function') {
    throw new SameloopError(
      'config-schema-without-json-schema',
      'Wanted a schema with its JSON Schema: take tool or schema(…) of "sameloop/valibot", or jsonSchema(…) of "sameloop/json-schema"',
      { data: { vendor } },
    )
  }
  let cause: unknown
  // A converter throws for a target it does not know, and for a type that JSON Schema cannot say.
  for (const target of ['draft-2020-12', 'draft-07']) {
    try {
      const { $schema: _, ...json } = jsonSchema[side]({ target })
      if (jsonText(json)) return json
      throw new Error('it is no JSON')
    } catch (thrown) {
      cause ??= thrown
    }
  }
  throw new SameloopError('schema-unsupported', `Cannot convert this schema to JSON Schema: ${describeThrown(cause)}`, {
    cause,
  })
}

function runCheck(source: StandardSchema<unknown, unknown>, value: unknown): Checked {
  let late: Promise<unknown> | undefined
  let why = 'it gave no answer'
  try {
    const result = source['~standard'].validate(value)
    if ('then' in result) late = result
    else if (result.issues) return { ok: false, issues: result.issues.map(toIssue) }
    else if ('value' in result) return { ok: true, value: result.value }
  } catch (thrown) {
    why = describeThrown(thrown)
  }
  if (!late) return { ok: false, issues: [{ path: [], message: `The validator failed: ${why}` }] }
  // Its outcome is of no use to anyone; a rejection must not surface as unhandled.
  Promise.resolve(late).catch(() => {})
  throw new SameloopError('schema-unsupported', 'Wanted a synchronous schema, got an asynchronous one')
}

function toIssue({ message, path = [] }: StandardIssue): Issue {
  const keys = path.map((segment) => (typeof segment === 'object' ? segment.key : segment))
  return {
    message: String((message as unknown) ?? 'Does not fit'),
    path: keys.map((key) => (typeof key === 'number' ? key : String(key))),
  }
}

/**
 * The schema as a model's tool parameters, which must be an object: anything else becomes the one property `input`.
 * References into the schema still lead where they led.
 */
export function wrapInput(json: JsonSchema): { readonly json: JsonSchema; readonly wrapped: boolean } {
  if (json['type'] === 'object') return { json, wrapped: false }
  return { json: wrapSchema(json, 'input'), wrapped: true }
}

/** An object with the schema as its one property, which is required. */
export function wrapSchema({ $defs, definitions, ...schema }: JsonSchema, key: string): JsonSchema {
  const text = JSON.stringify({ type: 'object', properties: { [key]: schema }, required: [key], $defs, definitions })
  // References to the root, or through it other than to definitions, now start at the property.
  const moved = text.replace(/"\$ref":"#(?!\/(?:\$defs|definitions)\/)/g, `$&/properties/${key}`)
  return JSON.parse(moved) as JsonSchema
}
