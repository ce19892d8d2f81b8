// Gives a valibot schema its JSON Schema, so that it is a Standard Schema a model can be told about.
import { toJsonSchema } from '@valibot/to-json-schema'
import type { ConversionConfig } from '@valibot/to-json-schema'
import type { BaseIssue, BaseSchema } from 'valibot'
import type { JsonSchema, StandardSchema } from './schema.ts'

type ValibotSchema<Input, Output> = BaseSchema<Input, Output, BaseIssue<unknown>>
type Target = NonNullable<ConversionConfig['target']>

const targets: readonly string[] = ['draft-2020-12', 'draft-07'] satisfies Target[]

/**
 * The same schema with `~standard.jsonSchema`, computed when first asked for: for `agent({ output })`, `asTool({ input })`
 * and routes of a REST server. What JSON Schema cannot say (a custom
 * check, a transform) is left out of it and still checked by valibot.
 */
// @__NO_SIDE_EFFECTS__
export function withJsonSchema<Input, Output>(
  schema: ValibotSchema<Input, Output>,
): ValibotSchema<Input, Output> & StandardSchema<Input, Output> {
  const made = new Map<string, JsonSchema>()
  const convert = (typeMode: 'input' | 'output', target: string): JsonSchema => {
    const key = typeMode + target
    const known = made.get(key)
    if (known) return known
    if (!targets.includes(target)) throw new Error(`Cannot convert to "${target}"`)
    const json: JsonSchema = { ...toJsonSchema(schema, { typeMode, target: target as Target, errorMode: 'ignore' }) }
    made.set(key, json)
    return json
  }
  const jsonSchema = {
    input: ({ target }: { readonly target: string }) => convert('input', target),
    output: ({ target }: { readonly target: string }) => convert('output', target),
  }
  return { ...schema, '~standard': { ...schema['~standard'], jsonSchema } }
}
