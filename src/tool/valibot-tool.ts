// `tool()` for valibot schemas: the same function, with the converter to JSON Schema bound.
import type { StandardSchema } from '../schema/schema.ts'
import { withJsonSchema } from '../schema/valibot.ts'
import type { ToolContext } from './context.ts'
import { tool as baseTool } from './define.ts'

/** `tool()` of `sameloop`, for valibot schemas as they are. */
export const tool: typeof baseTool = ((
  options: Record<string, unknown>,
  act?: (input: never, context: ToolContext) => unknown,
) => {
  const { input, output } = options
  const converted = {
    ...options,
    ...(input === undefined ? {} : { input: converterOf(input) }),
    ...(output === undefined ? {} : { output: converterOf(output) }),
  }
  return (baseTool as unknown as (options: object, act: unknown) => unknown)(converted, act)
}) as never

/** Schemas of another library, or with their JSON Schema already, pass as they are. */
function converterOf(schema: unknown): unknown {
  const standard = (schema as Partial<StandardSchema>)['~standard']
  const isBare = standard?.vendor === 'valibot' && standard.jsonSchema === undefined
  return isBare ? withJsonSchema(schema as Parameters<typeof withJsonSchema>[0]) : schema
}
