// `sameloop/valibot`: `tool()` for valibot schemas, and such schemas for all that takes one.
export { withJsonSchema as schema } from './schema/valibot.ts'
export { tool } from './tool/valibot-tool.ts'
