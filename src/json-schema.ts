// Raw JSON Schema as a tool's schema.
export { jsonSchema } from './schema/check.ts'
export type { JsonSchemaOptions } from './schema/check.ts'
export type { SchemaLimits } from './schema/foreign.ts'
