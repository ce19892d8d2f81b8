// The tools that come with the library.
export { builtinTools } from './builtin/builtin.ts'
export type { BuiltinOptions } from './builtin/builtin.ts'
export type { HttpOptions } from './builtin/http-request.ts'
export type { HostSecret } from './builtin/http-secret.ts'
export type { Secret } from './http/secret.ts'
