// The tool that queries JSON, apart from the others: it brings a package.
export { jsonQuery } from './builtin/json-query.ts'
export type { JsonQueryOptions } from './builtin/json-query.ts'
