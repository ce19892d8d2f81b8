// The tools that come with the library.
export { builtinTools } from './builtin/builtin.ts'
export type { BuiltinOptions } from './builtin/builtin.ts'
