// `sameloop/mcp-sdk`: a connected official MCP client as a source of tools.
export { mcpServer } from './source.ts'
export type { SdkClient, SdkRequest, SdkServerOptions } from './source.ts'
