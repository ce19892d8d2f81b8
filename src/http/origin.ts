// Origins of web pages, as a list says them that lets pages in.
import { SameloopError } from '../error/error.ts'

const form = /^[a-z][a-z0-9+.-]*:\/\/(?:[a-z0-9.-]+|\[[0-9a-f:]+\])(?::\d{1,5})?$/

/** The list. Throws `config-invalid` for what is no origin; there is no `*`, as every page could then use a visitor's server. */
export function checkedOrigins(origins: readonly string[]): readonly string[] {
  const odd = origins.find((origin) => !form.test(origin))
  if (odd === undefined) return origins
  throw new SameloopError(
    'config-invalid',
    `Cannot allow the origin ${JSON.stringify(odd)}: wanted one such as "https://example.com"`,
  )
}
