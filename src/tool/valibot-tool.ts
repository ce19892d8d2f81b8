// `tool()` for valibot schemas: the same function, with the converter to JSON Schema bound.
import { fieldsSchema } from '../schema/fields.ts'
import type { Fields, FieldValues } from '../schema/fields.ts'
import type { StandardSchema } from '../schema/schema.ts'
import { withJsonSchema } from '../schema/valibot.ts'
import type { ToolContext } from './context.ts'
import { tool as baseTool } from './define.ts'
import type { ResultOf, Tool, ToolOptions, ToolReturn } from './tool.ts'

type AnySchema = StandardSchema<unknown, unknown>

/** The function behind all of its overloads. */
type Define = (options: { readonly input?: unknown; readonly output?: unknown }, act?: unknown) => unknown

const define: Define = (options, act) =>
  (baseTool as Define)({ ...options, input: converterOf(options.input), output: converterOf(options.output) }, act)

/** The options of a tool whose input is given field by field. */
type FieldsOptions<Given extends Fields, Out extends AnySchema | undefined> = Omit<
  ToolOptions<undefined, Out>,
  'input' | 'execute'
> & { readonly input: Given & { readonly '~standard'?: never } }

/** `tool()` of `sameloop`, for valibot schemas as they are, and for inputs given field by field. */
export const tool = define as typeof baseTool & {
  /**
   * A plain function with its parameters one by one: `input: { city: v.string(), days: 3, note: undefined }`. A default
   * value makes a parameter optional, `undefined` lets it be anything. The function stays callable as it is.
   */
  <
    const Given extends Fields,
    Act extends (input: FieldValues<Given>, context: ToolContext) => ToolReturn<ResultOf<Out>>,
    const Out extends AnySchema | undefined = undefined,
  >(
    options: FieldsOptions<Given, Out>,
    act: Act,
  ): Act & Tool<FieldValues<Given>, ResultOf<Out>>
}

/** Schemas of another library, or with their JSON Schema already, pass as they are. */
function converterOf(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema
  const standard = (schema as Partial<StandardSchema>)['~standard']
  if (!standard) return withJsonSchema(fieldsSchema(schema as Fields))
  const isBare = standard.vendor === 'valibot' && standard.jsonSchema === undefined
  return isBare ? withJsonSchema(schema as Parameters<typeof withJsonSchema>[0]) : schema
}
