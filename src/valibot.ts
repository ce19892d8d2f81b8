// `sameloop/valibot`: `tool()` for valibot schemas.
export { tool } from './tool/valibot-tool.ts'
