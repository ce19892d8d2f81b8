// Headers of a request that a model wrote, and those of an answer that it reads.
import { isHeaderName, isHeaderValue } from '../http/header.ts'

/**
 * What belongs to the connection, to a browser, or to whoever stands between; and what makes another method of a request
 * than the one a person was asked about.
 */
const forbidden =
  /^(?:accept-charset|accept-encoding|connection|content-length|cookie2?|date|dnt|expect|forwarded|host|keep-alive|origin|permissions-policy|referer|set-cookie2?|te|trailer|transfer-encoding|upgrade|via|x-http-method|x-http-method-override|x-method-override|x-real-ip)$|^(?:access-control-|proxy-|sec-|x-forwarded-)/i

/** Why a header cannot be sent, in words, or `undefined`. */
export function headerProblem(name: string, value: string): string | undefined {
  const shown = JSON.stringify(name.slice(0, 80))
  if (!isHeaderName(name)) return `${shown} is not the name of a header`
  if (forbidden.test(name)) return `The header ${shown} cannot be set`
  if (!isHeaderValue(value)) return `The header ${shown}: wanted printable ASCII on one line`
  return value.length > maxValueChars ? `The header ${shown} has more than ${maxValueChars} characters` : undefined
}

const maxValueChars = 8000

/** What says something to a model; the rest is about the connection, or for browsers. */
const telling =
  /^(?:allow|content-language|content-location|content-range|content-type|etag|last-modified|link|location|retry-after|www-authenticate|x-request-id|x-total-count)$|^(?:x-)?ratelimit-/

const maxHeaders = 20

export function tellingHeaders(headers: Headers, scrub: (text: string) => string): Record<string, string> {
  const told = [...headers].filter(([name]) => telling.test(name)).slice(0, maxHeaders)
  return Object.fromEntries(told.map(([name, value]) => [scrub(name), scrub(value).slice(0, 1000)]))
}
