// What is said between a sandbox and its Worker, and what the Worker, which may be anybody, may say.
import { isObject, own } from '../json/value.ts'
import type { Ending } from '../sandbox/interpreter.ts'
import { isId } from '../remote/file-message.ts'
import type { SentError } from '../remote/sent-error.ts'
import type { Stream } from '../confined/output.ts'

/** A Worker as its owner holds it; each runtime makes one of its own. */
export interface WorkerPort {
  postMessage(message: unknown, transfer: ArrayBuffer[]): void
  onMessage(listener: (message: unknown) => void): void
  /** An error that nobody in it caught, too little memory, its end: it is not used any more. */
  onError(listener: (error: unknown) => void): void
  terminate(): void
}

/** To the Worker. */
export type Told =
  | {
      readonly type: 'run'
      readonly id: number
      readonly command: string
      readonly cwd: string
      readonly env: Readonly<Record<string, string>>
      readonly stdin: Uint8Array
      readonly timeoutMs: number
      /** Characters of output after which no more is sent. */
      readonly room: number
      readonly hasFetch: boolean
      readonly hasCall: boolean
    }
  | { readonly type: 'files'; readonly id: number; readonly message: unknown }
  | { readonly type: 'answer'; readonly id: number; readonly request: number; readonly value: unknown }
  | { readonly type: 'refusal'; readonly id: number; readonly request: number; readonly error: SentError }

/** A request of the network. */
export interface SentRequest {
  readonly url: string
  readonly method: string
  readonly headers: readonly (readonly [string, string])[]
  readonly body: Uint8Array | undefined
  readonly redirect: 'follow' | 'error' | 'manual'
}

export type Pieces = readonly (readonly [Stream, string])[]

/** What a program asks of the thread that has network and tools. `input` is JSON text. */
export type Wish =
  | { readonly type: 'fetch'; readonly sent: SentRequest }
  | { readonly type: 'call'; readonly name: string; readonly input: string }

/** From the Worker. */
export type Said =
  /** The interpreter is loaded. */
  | { readonly type: 'ready' }
  /** It could not be loaded, or a program took it along. */
  | { readonly type: 'broken' }
  | { readonly type: 'output'; readonly id: number; readonly pieces: Pieces }
  | { readonly type: 'files'; readonly id: number; readonly message: unknown }
  | { readonly type: 'wish'; readonly id: number; readonly request: number; readonly wish: Wish }
  | { readonly type: 'cancel'; readonly id: number; readonly request: number }
  | { readonly type: 'end'; readonly id: number; readonly ending: Ending }

/** As many requests of the network and calls of tools may be under way at once; further ones wait in the Worker. */
export const maxWishes = 64
const maxBody = 2 ** 24
const maxHeaders = 256
const maxPieces = 1024
const redirects = new Set<unknown>(['follow', 'error', 'manual'])

const isText = (value: unknown, limit: number): value is string => typeof value === 'string' && value.length <= limit
const isPair = (value: unknown): value is readonly [string, string] =>
  Array.isArray(value) && value.length === 2 && value.every((text) => isText(text, maxBody))

/** What a Worker said, or `undefined` for what none may say. */
export function readSaid(message: unknown): Said | undefined {
  const [type, id, request] = ['type', 'id', 'request'].map((key) => own(message, key))
  if (type === 'ready' || type === 'broken') return { type }
  if (!isId(id)) return undefined
  switch (type) {
    case 'output':
      return withField(readPieces(own(message, 'pieces')), (pieces) => ({ type, id, pieces }))
    case 'files':
      return { type, id, message: own(message, 'message') }
    case 'end':
      return withField(readEnding(own(message, 'ending')), (ending) => ({ type, id, ending }))
    case 'cancel':
      return isId(request) ? { type, id, request } : undefined
    case 'wish':
      if (!isId(request)) return undefined
      return withField(readWish(own(message, 'wish')), (wish) => ({ type, id, request, wish }))
    default:
      return undefined
  }
}

const withField = <Field>(field: Field | undefined, make: (field: Field) => Said): Said | undefined =>
  field === undefined ? undefined : make(field)

const isPiece = (value: unknown): value is readonly [Stream, string] =>
  isPair(value) && (value[0] === 'stdout' || value[0] === 'stderr')

function readPieces(value: unknown): Pieces | undefined {
  return Array.isArray(value) && value.length <= maxPieces && value.every(isPiece) ? value : undefined
}

function readEnding(value: unknown): Ending | undefined {
  const [exitCode, cwd, stopped] = ['exitCode', 'cwd', 'stopped'].map((key) => own(value, key))
  if (!isId(exitCode) || (cwd !== undefined && !isText(cwd, 2 ** 16))) return undefined
  if (stopped !== undefined && stopped !== 'limit' && stopped !== 'timeout') return undefined
  return { exitCode, cwd, stopped }
}

function readWish(value: unknown): Wish | undefined {
  const type = own(value, 'type')
  if (type === 'call') {
    const [name, input] = [own(value, 'name'), own(value, 'input')]
    return isText(name, 4096) && isText(input, maxBody) ? { type, name, input } : undefined
  }
  const sent = own(value, 'sent')
  return type === 'fetch' && isSentRequest(sent) ? { type, sent } : undefined
}

function isSentRequest(value: unknown): value is SentRequest {
  if (!isObject(value)) return false
  const [url, method, headers, body, redirect] = ['url', 'method', 'headers', 'body', 'redirect'].map((key) =>
    own(value, key),
  )
  return (
    isText(url, 2 ** 16) &&
    isText(method, 64) &&
    Array.isArray(headers) &&
    headers.length <= maxHeaders &&
    headers.every(isPair) &&
    redirects.has(redirect) &&
    (body === undefined || (body instanceof Uint8Array && body.buffer instanceof ArrayBuffer && body.length <= maxBody))
  )
}
