// `sameloop/rest`: the routes of an HTTP API as tools.
export { restServer } from './rest/rest-server.ts'
export type { RestMethod, RestServer, RestServerOptions, RestToolOptions } from './rest/rest-server.ts'
export type { ParameterPlace, ParameterTarget } from './rest/parameter.ts'
export type { RestAuth, UnsignedRequest } from './rest/auth.ts'
export type { Secret } from './http/secret.ts'
