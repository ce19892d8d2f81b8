// `sameloop/openapi`: the operations of an OpenAPI document as tools.
export { openApi } from './openapi/open-api.ts'
export type { OpenApi, OpenApiOptions } from './openapi/open-api.ts'
export type { ParseDocument } from './openapi/document.ts'
export type { OpenApiInclude, OpenApiOperation, OpenApiProblem } from './openapi/operation.ts'
export type { OpenApiAuth, OpenApiCredential, OpenApiScheme } from './openapi/security.ts'
export type { Secret } from './http/secret.ts'
