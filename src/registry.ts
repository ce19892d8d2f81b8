// `sameloop/registry`: tools by name, for agents and for code.
export { toolRegistry } from './registry/registry.ts'
export type { RegistryOptions, ToolRegistry } from './registry/registry.ts'
