// Headers of requests: which names and values can travel, and setting one without an engine's words about it.
import { SameloopError } from '../error/error.ts'

/** A token of RFC 9110 §5.6.2, of at most 200 characters. */
export const isHeaderName = (name: string): boolean => /^[\w!#$%&'*+.^`|~-]{1,200}$/.test(name)

/** What the value of a header may be (RFC 9110 §5.5), without what no API needs. */
export const isHeaderValue = (value: string): boolean => /^[\x20-\x7e]*$/.test(value)

/** Throws `source-failed` for what cannot travel in a header, with the name and never the value: it may be a secret. */
export function setHeader(headers: Headers, name: string, value: string): void {
  try {
    headers.set(name, value)
  } catch {
    // The engine's words quote the value.
    const problem = isHeaderName(name) ? 'its value cannot travel in a header' : 'that is not the name of a header'
    throw new SameloopError('source-failed', `Cannot send the header ${JSON.stringify(name)}: ${problem}`)
  }
}
