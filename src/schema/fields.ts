// The parameters of a function, one by one: what Python reads off a signature, TypeScript has erased.
import { array, boolean, nullable, number, object, optional, record, string, unknown } from 'valibot'
import type { BaseIssue, BaseSchema, InferOutput } from 'valibot'
import { SameloopError } from '../error/error.ts'
import { isObject, typeName } from '../json/value.ts'
import type { Json } from '../json/value.ts'

type AnySchema = BaseSchema<unknown, unknown, BaseIssue<unknown>>

/**
 * A parameter is a valibot schema, or a plain default value, which makes it optional and gives its type, or `undefined`
 * for one that must be there and may be anything.
 */
export type Fields = { readonly [name: string]: AnySchema | Json | undefined }

/** What a function receives for fields. */
export type FieldValues<Given> = {
  -readonly [Name in keyof Given]: Given[Name] extends AnySchema
    ? InferOutput<Given[Name]>
    : Given[Name] extends undefined
      ? unknown
      : Widened<Given[Name]>
}

/** `3` stands for any number: a default is one value out of many. */
type Widened<Value> = Value extends number
  ? number
  : Value extends string
    ? string
    : Value extends boolean
      ? boolean
      : Value extends readonly unknown[]
        ? unknown[]
        : Value extends null
          ? unknown
          : { [key: string]: unknown }

/** One object schema of the fields. Throws `config-invalid` for what is neither a valibot schema nor JSON. */
export function fieldsSchema(fields: Fields): AnySchema {
  return object(Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldSchema(name, field)])))
}

function fieldSchema(name: string, field: Fields[string]): AnySchema {
  if (field === undefined) return unknown()
  if (isObject(field) && '~standard' in field) {
    if (field['kind'] === 'schema') return field as unknown as AnySchema
    throw wrong(name, 'the schema of another library')
  }
  const known: Readonly<Record<string, AnySchema>> = {
    number: number(),
    string: string(),
    boolean: boolean(),
    array: array(unknown()),
    null: nullable(unknown()),
    object: record(string(), unknown()),
  }
  const schema = known[typeName(field)]
  if (!schema) throw wrong(name, `a ${typeof field}`)
  return optional(schema, field)
}

const wrong = (name: string, got: string): SameloopError =>
  new SameloopError(
    'config-invalid',
    `Cannot use the field "${name}": wanted a valibot schema, a plain default value or undefined, got ${got}`,
  )
