// The names that both ends of the Model Context Protocol write on the wire: headers, metadata keys, error codes.

/** HTTP headers, in lower case. */
export const sessionHeader = 'mcp-session-id'
export const versionHeader = 'mcp-protocol-version'
/** Of the stateless protocol: they repeat what the body says, and a server refuses what differs. */
export const methodHeader = 'mcp-method'
export const nameHeader = 'mcp-name'
/** A parameter that the input schema marks with `x-mcp-header` travels in a header that begins so. */
export const parameterHeaderPrefix = 'mcp-param-'

/** Keys of `_meta`. The first three are of every stateless request. */
export const versionKey = 'io.modelcontextprotocol/protocolVersion'
export const clientInfoKey = 'io.modelcontextprotocol/clientInfo'
export const clientCapabilitiesKey = 'io.modelcontextprotocol/clientCapabilities'
export const serverInfoKey = 'io.modelcontextprotocol/serverInfo'

/** Error codes beside those of JSON-RPC. */
export const headerMismatchCode = -32020
export const missingCapabilityCode = -32021
export const unsupportedVersionCode = -32022

/** Of `tools/call`, `resources/read` and `prompts/get`: what `Mcp-Name` repeats. */
export const namedMethods: Readonly<Record<string, 'name' | 'uri'>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
}

export interface Implementation {
  readonly name: string
  readonly version: string
  readonly title?: string | undefined
}

/** Hints about a tool; a client must not trust them. Absent: `false`, `true`, `false`, `true`. */
export interface ToolAnnotations {
  readonly title?: string | undefined
  readonly readOnlyHint?: boolean | undefined
  readonly destructiveHint?: boolean | undefined
  readonly idempotentHint?: boolean | undefined
  readonly openWorldHint?: boolean | undefined
}
