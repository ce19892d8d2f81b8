// An OpenAPI document: taken in, its version checked, and asked by reference.
import { SameloopError, isSameloopError } from '../error/error.ts'
import { guarded } from '../error/guard.ts'
import type { Fetch } from '../host/host.ts'
import { webHost } from '../host/web-host.ts'
import { readBytes } from '../http/body.ts'
import { cut, parseJson } from '../json/text.ts'
import { isObject, own } from '../json/value.ts'
import type { JsonObject } from '../json/value.ts'
import { deadline } from '../stream/signal.ts'
import { guardedFetch } from '../policy/guarded-fetch.ts'
import { anywhere } from '../rest/send.ts'

export interface OpenApiDocument {
  readonly root: JsonObject
  /** Where it was read from, if anywhere: relative addresses of servers count from there. */
  readonly url: string | undefined
}

/** Turns text into what it says; given where a document is no JSON, for example `YAML.parse`. */
export type ParseDocument = (text: string) => unknown

/** What makes an operation, or a whole document, unusable. */
export const unusable = (problem: string): SameloopError => new SameloopError('source-failed', problem)

function parseDocument(text: string, parse: ParseDocument | undefined): unknown {
  if (!parse) {
    const parsed = parseJson(text)
    if (parsed.ok) return parsed.value
    throw unusable(`its text is no JSON, it begins with "${cut(text.trim(), 40)}": for YAML give parse`)
  }
  try {
    return parse(text)
  } catch (cause) {
    throw new SameloopError('source-failed', 'parse could not read its text', { cause })
  }
}

function checkDocument(root: unknown, url: string | undefined): OpenApiDocument {
  if (!isObject(root)) throw unusable('it is no object')
  const version = own(root, 'openapi')
  if (own(root, 'swagger') !== undefined) throw unusable('it is Swagger 2.0: convert it to OpenAPI 3 first')
  if (typeof version !== 'string') throw unusable('it has no "openapi" with its version')
  if (!/^3\.[01](?:\.|$)/.test(version)) throw unusable(`wanted version 3.0 or 3.1, got "${cut(version, 20)}"`)
  return { root, url }
}

export interface DocumentPlace {
  readonly document: string | URL | object
  readonly parse?: ParseDocument | undefined
  readonly fetch?: Fetch | undefined
}

const mostBytes = 32 * 2 ** 20
/** For all of it, as its server may send one byte after the other for ever. */
const mostMs = 60_000

/**
 * The document itself, the one that a text is, or the one at an address. Throws `source-failed`, also for more than 32 MiB
 * at an address, and for one that takes longer than a minute.
 */
export async function loadDocument({ document, parse, fetch }: DocumentPlace): Promise<OpenApiDocument> {
  if (typeof document === 'string' && !/^https?:\/\/\S+$/.test(document.trim()))
    return checkDocument(parseDocument(document, parse), undefined)
  if (typeof document !== 'string' && !(document instanceof URL)) return checkDocument(document, undefined)
  const { text, url } = await fetched(String(document).trim(), fetch)
  return checkDocument(parseDocument(text, parse), url)
}

async function fetched(
  url: string,
  given: Fetch | undefined,
): Promise<{ readonly text: string; readonly url: string }> {
  const fetch = guardedFetch(given ?? webHost.fetch, given ? anywhere : { maxResponseBytes: Infinity })
  const late = new SameloopError('source-failed', `it did not come within ${mostMs} ms`, { retryable: true })
  const { signal, release } = deadline(webHost, { ms: mostMs, reason: () => late })
  let bytes: Uint8Array | undefined
  let response: Response
  try {
    response = await fetch(url, { signal, headers: { accept: 'application/json, application/yaml;q=0.9, */*;q=0.8' } })
    bytes = response.ok ? await readBytes(response.body, mostBytes, signal) : new Uint8Array()
  } catch (cause) {
    signal.throwIfAborted()
    if (isSameloopError(cause)) throw new SameloopError('source-failed', cause.message, { cause })
    throw new SameloopError('source-failed', 'its address cannot be reached', { cause, retryable: true })
  } finally {
    release()
  }
  if (!response.ok)
    throw new SameloopError('source-failed', `its server answered with status ${response.status}`, {
      retryable: response.status >= 500 || response.status === 429,
    })
  if (!bytes) throw unusable(`it has more than ${mostBytes} bytes`)
  return { text: new TextDecoder().decode(bytes), url: response.url || url }
}

const mostHops = 32

/** What a JSON Pointer within the document leads to. Throws for a reference that leads out of it or nowhere. */
export function findReference({ root }: OpenApiDocument, reference: string): unknown {
  const wrong = (problem: string): SameloopError => unusable(`the reference "${cut(reference, 100)}" ${problem}`)
  if (!reference.startsWith('#')) throw wrong('leads out of the document')
  const pointer = guarded(() => decodeURIComponent(reference.slice(1)), undefined)
  if (pointer === undefined || (pointer !== '' && !pointer.startsWith('/'))) throw wrong('is no JSON Pointer')
  const keys = pointer.split('/').slice(1)
  const plain = keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
  const found = plain.reduce<unknown>((node, key) => own(node, key), root)
  if (found === undefined) throw wrong('leads nowhere')
  return found
}

/** The object that a node stands for, references followed; `undefined` where it is none. */
export function follow(document: OpenApiDocument, node: unknown): JsonObject | undefined {
  for (let hops = 0; isObject(node); hops++) {
    const reference = own(node, '$ref')
    if (typeof reference !== 'string') return node
    if (hops === mostHops) throw unusable(`the reference "${cut(reference, 100)}" leads back to itself`)
    node = findReference(document, reference)
  }
  return undefined
}

/** The entries of an object whose names are its author's, those for extensions left out. */
export const namedEntries = (node: unknown): readonly (readonly [string, unknown])[] =>
  isObject(node) ? Object.entries(node).filter(([name]) => !name.startsWith('x-')) : []

/** The items of a list; none where it is no list. */
export const listIn = (node: unknown, key: string): readonly unknown[] => {
  const list = own(node, key)
  return Array.isArray(list) ? list : []
}

/** A text that is not empty. */
export const textIn = (node: unknown, key: string): string | undefined => {
  const text = own(node, key)
  return typeof text === 'string' && text !== '' ? text : undefined
}
