// Tools that read the web, apart from the others: they bring a parser of HTML along.
import { SameloopError } from '../error/error.ts'
import type { Environment } from '../tool/environment.ts'
import type { Policy } from '../tool/rule.ts'
import type { Tool } from '../tool/tool.ts'
import { selection } from './include.ts'
import { webAccess } from './web-access.ts'
import { webFetch } from './web-fetch.ts'
import { webSearch } from './web-search.ts'
import type { Search } from './web-search.ts'

export interface WebToolsOptions {
  /** `fetch` must be there. */
  readonly env: Environment
  /**
   * Narrows what may be reached, how much is read and how much of it a model sees further than the agent's own policy
   * does. Without it public https addresses, 2 MiB and 50,000 characters.
   */
  readonly policy?: Policy | undefined
  /** `web_fetch`, `web_search`, or patterns with `*`. Default: all. */
  readonly include?: readonly string[] | undefined
  /** What `web_search` asks, for example `searxng({ url })`. Without it there is no such tool. */
  readonly search?: Search | undefined
}

/**
 * `web_fetch` and, with a `search`, `web_search`. `config-missing-capability` where the environment has no `fetch`,
 * `config-invalid` for an `include` that names no tool.
 */
export function webTools({ env, policy, include, search }: WebToolsOptions): Tool[] {
  if (!env.fetch)
    throw new SameloopError('config-missing-capability', 'The env has no fetch: wanted one for requests of tools', {
      data: { capability: 'fetch' },
    })
  const wanted = selection(include, ['web_fetch', ...(search ? ['web_search'] : [])])
  const web = webAccess(env, policy)
  const tools: Tool[] = []
  if (wanted('web_fetch')) tools.push(webFetch(web) as Tool)
  if (search && wanted('web_search')) tools.push(webSearch(web, search) as Tool)
  return tools
}
