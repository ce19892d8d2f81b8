// Raw JSON Schema as a Standard Schema, validated without code generation by @cfworker/json-schema.
import { dereference, format, validate } from '@cfworker/json-schema'
import type { OutputUnit, Schema as Resolved } from '@cfworker/json-schema'
import { SameloopError } from '../error/error.ts'
import { checkReferences, takeIn } from './foreign.ts'
import type { SchemaLimits } from './foreign.ts'
import { cut } from '../json/text.ts'
import { own } from '../json/value.ts'
import type { JsonObject } from '../json/value.ts'
import { meterIn, overworked } from './meter.ts'
import type { JsonSchema, StandardIssue, StandardResult, StandardSchema } from './schema.ts'
import { isSimple, simpleCheck } from './simple.ts'

export interface JsonSchemaOptions extends SchemaLimits {
  /** Default `2020-12`. */
  readonly draft?: '7' | '2019-09' | '2020-12' | undefined
}

/** Keywords that only say that something below them failed. */
const containers = new Set(
  (
    'properties items additionalItems additionalProperties patternProperties prefixItems allOf $ref if then else ' +
    'dependentSchemas dependencies unevaluatedItems unevaluatedProperties'
  ).split(' '),
)
const mostIssues = 32

/** What models get wrong most, in words that say what was wanted. */
const ownWords: readonly (readonly [RegExp, string])[] = [
  [/^Instance type .* is invalid\. Expected (.*)\.$/, 'Expected $1'],
  [/^Instance does not have required property (.*)\.$/, 'Expected the property $1'],
  [/^Instance does not match any of (.*)\.$/, 'Expected one of $1'],
  [/^False boolean schema\.$/, 'Expected no property of this name'],
]

/**
 * A Standard Schema over raw JSON Schema, for example one that an MCP server or an OpenAPI document brings. The type of
 * the value is what you say it is: `jsonSchema<{ city: string }>({…})`.
 *
 * Throws `schema-invalid` for what is no JSON Schema, and `schema-unsupported` beyond the limits, for references that
 * leave the schema, and for `$dynamicRef` and `$recursiveRef`. Formats the validator does not know are not checked. A value
 * that would take more than a million steps to check does not fit.
 */
export function jsonSchema<Value = unknown>(
  schema: JsonSchema,
  options: JsonSchemaOptions = {},
): StandardSchema<Value> {
  const intaken = takeIn(schema, new Set(Object.keys(format)), options)
  const root = intaken.schema
  const simple = isSimple(root)
  // A fixed base, so that references are read alike on every page and in every runtime.
  if (root['$id'] === undefined) root['$id'] = 'https://schema.invalid/'
  const lookup = simple ? undefined : makeLookup(root)
  if (lookup) checkReferences(intaken, (node) => lookup[(node['__absolute_ref__'] ?? node['$ref']) as string])
  const meter = meterIn(intaken.nodes)
  let fits: ReturnType<typeof simpleCheck> | undefined
  // The validator is large and slow to start: a value that plainly fits does without it.
  const run: Run = (value) => {
    if (simple && (fits ??= simpleCheck(root))(value)) return []
    meter.start(value)
    return validate(value, root, options.draft ?? '2020-12', lookup ?? makeLookup(root), false).errors
  }
  return {
    '~standard': {
      version: 1,
      vendor: 'sameloop',
      validate: (value) => check<Value>(run, value),
      jsonSchema: { input: () => schema, output: () => schema },
    },
  }
}

type Run = (value: unknown) => readonly OutputUnit[]

function makeLookup(root: JsonObject): Record<string, Resolved | boolean> {
  try {
    return dereference(root)
  } catch (cause) {
    throw new SameloopError(
      'schema-invalid',
      'Cannot use the JSON Schema: expected valid and unique "$id" and "$ref" addresses',
      {
        cause,
      },
    )
  }
}

function check<Value>(run: Run, value: unknown): StandardResult<Value> {
  let errors: readonly OutputUnit[]
  try {
    errors = run(value)
  } catch (error) {
    if (error === overworked)
      return { issues: [{ message: 'Expected a value that can be checked in a million steps' }] }
    // The stack is used up, or the value is no JSON.
    return { issues: [{ message: 'Expected a JSON value that is not nested too deeply' }] }
  }
  if (errors.length === 0) return { value: value as Value }
  const leaves = errors.filter((error) => !containers.has(error.keyword))
  return { issues: (leaves.length > 0 ? leaves : errors).slice(0, mostIssues).map((error) => toIssue(error, value)) }
}

function toIssue({ instanceLocation, error }: OutputUnit, value: unknown): StandardIssue {
  let place = value
  const path = instanceLocation
    .split('/')
    .slice(1)
    .map((part) => {
      const name = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
      const key = Array.isArray(place) ? Number(name) : name
      place = own(place, key)
      return key
    })
  return { message: worded(cut(error, 1_000)).replace(/\.$/, ''), path }
}

const worded = (error: string): string =>
  ownWords.reduce((text, [pattern, words]) => text.replace(pattern, words), error)
