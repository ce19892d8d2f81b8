// The input of a built-in tool: a JSON Schema written by hand, checked by its keywords.
import type { JsonSchema, StandardSchema } from '../schema/schema.ts'
import { findProblems } from '../schema/keywords.ts'

/** A Standard Schema from a JSON Schema of the keywords that `findProblems` knows. */
// @__NO_SIDE_EFFECTS__
export function jsonInput<Input>(schema: JsonSchema): StandardSchema<unknown, Input> {
  const json = (): Record<string, unknown> => ({ ...schema })
  return {
    '~standard': {
      version: 1,
      vendor: 'sameloop',
      validate: (value) => {
        const issues = findProblems(schema, value)
        return issues.length > 0 ? { issues } : { value: value as Input }
      },
      jsonSchema: { input: json, output: json },
    },
  }
}

/** An object schema; `required` names its properties that must be there. */
// @__NO_SIDE_EFFECTS__
export function objectInput<Input>(
  properties: Readonly<Record<keyof Input & string, JsonSchema>>,
  required: readonly (keyof Input & string)[],
): StandardSchema<unknown, Input> {
  return jsonInput({ type: 'object', properties, required, additionalProperties: false })
}
