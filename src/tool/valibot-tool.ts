// `tool()` for valibot schemas: the same function, with the converter to JSON Schema bound.
import type { StandardSchema } from '../schema/schema.ts'
import { withJsonSchema } from '../schema/valibot.ts'
import { tool as baseTool } from './define.ts'

/** The function behind all of its overloads. */
type Define = (options: { readonly input?: unknown; readonly output?: unknown }, act?: unknown) => unknown

const define: Define = (options, act) =>
  (baseTool as Define)({ ...options, input: converterOf(options.input), output: converterOf(options.output) }, act)

/** `tool()` of `sameloop`, for valibot schemas as they are. */
export const tool = define as typeof baseTool

/** Schemas of another library, or with their JSON Schema already, pass as they are. */
function converterOf(schema: unknown): unknown {
  const standard = (schema as Partial<StandardSchema> | undefined)?.['~standard']
  const isBare = standard?.vendor === 'valibot' && standard.jsonSchema === undefined
  return isBare ? withJsonSchema(schema as Parameters<typeof withJsonSchema>[0]) : schema
}
