// `sameloop/serve`: what answers requests from elsewhere, each a plain `Request → Response` handler.
export { mcpHandler } from './serve/mcp-handler.ts'
export type { McpHandlerOptions } from './serve/mcp-handler.ts'
export type { SessionLimits } from './serve/session.ts'
export type { McpApprove } from './served-tools/asking.ts'
export type { McpAccess } from './served-tools/caller.ts'
export type { Secret } from './http/secret.ts'
