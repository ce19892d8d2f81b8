// Tools that read the web, apart from the others: they bring a parser of HTML along.
export { webTools } from './builtin/web-tools.ts'
export type { WebToolsOptions } from './builtin/web-tools.ts'
export type { Search, SearchContext, SearchHit, SearchQuery } from './builtin/web-search.ts'
export { searxng } from './builtin/searxng.ts'
export type { SearxngOptions } from './builtin/searxng.ts'
export type { Secret } from './http/secret.ts'
