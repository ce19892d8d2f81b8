// `sameloop/registry`: tools by name, for agents and for code.
export { toolRegistry } from './catalog/tool-registry.ts'
export type { ToolRegistry } from './catalog/tool-registry.ts'
export type { CallOptions } from './catalog/call-options.ts'
export type { RegistryOptions } from './catalog/code-caller.ts'
export type { Permission } from './catalog/switches.ts'
export type { ToolDescription } from './catalog/view.ts'
export type { AddOptions } from './registry/table.ts'
export type { ToolSource } from './tool/source.ts'
