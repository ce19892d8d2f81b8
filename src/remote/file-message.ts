// What is said between the two ends of files that are elsewhere, and what may be said.
import { isObject, own } from '../json/value.ts'
import type { Vfs, VfsCapabilities, VfsChange, VfsEntry, VfsStat } from '../vfs/vfs.ts'
import type { VfsCall } from '../wrapper/intercept.ts'
import type { SentError } from './sent-error.ts'

type Listing = Awaited<ReturnType<Vfs['list']>>

/** Options of all operations, but for the signal. */
export interface CallOptions {
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
  readonly offset?: number | undefined
  readonly length?: number | undefined
  readonly mode?: 'overwrite' | 'create' | 'append' | undefined
  readonly parents?: boolean | undefined
  readonly ifMatch?: string | undefined
  readonly recursive?: boolean | undefined
  readonly force?: boolean | undefined
}

export interface FileCall {
  readonly files: 'call'
  readonly id: number
  readonly operation: VfsCall['operation']
  readonly path: string
  /** Where a rename goes. */
  readonly to: string
  readonly data: Uint8Array
  readonly options: CallOptions
}

/** From the end that has not the files. Every number is one that this end makes up, and uses once. */
export type Asking =
  | { readonly files: 'hello' }
  | FileCall
  | { readonly files: 'abort'; readonly id: number }
  | { readonly files: 'watch'; readonly id: number; readonly prefix: string }
  | { readonly files: 'unwatch'; readonly id: number }
  | { readonly files: 'bye' }

/** From the end that has them. */
export type Answering =
  | { readonly files: 'welcome'; readonly capabilities: VfsCapabilities }
  | { readonly files: 'done'; readonly id: number; readonly value: unknown }
  | { readonly files: 'failed'; readonly id: number; readonly error: SentError }
  | { readonly files: 'change'; readonly id: number; readonly change: VfsChange }
  | { readonly files: 'bye' }

/** The most watches at once. */
export const maxWatches = 256
/** The most bytes that are on their way into files at once. */
export const maxBytes: number = 2 ** 28

const operations = new Set<unknown>(['stat', 'list', 'read', 'write', 'mkdir', 'rm', 'rename'])
const modes = new Set<unknown>([undefined, 'overwrite', 'create', 'append'])
const longestText = 2 ** 16
const empty = new Uint8Array()

export const isId = (value: unknown): value is number => Number.isSafeInteger(value)
const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= longestText
const isAmount = (value: unknown): boolean => typeof value === 'number' && value >= 0
const isFlag = (value: unknown): boolean => typeof value === 'boolean'
const isBytes = (value: unknown): value is Uint8Array =>
  // Bytes that another thread goes on writing would be others after they were checked.
  value instanceof Uint8Array && value.buffer instanceof ArrayBuffer
/** An optional field. */
const maybe = (value: unknown, is: (value: unknown) => boolean): boolean => value === undefined || is(value)

const optionChecks: Readonly<Record<keyof CallOptions, (value: unknown) => boolean>> = {
  limit: isAmount,
  cursor: isText,
  offset: isAmount,
  length: isAmount,
  mode: (value) => modes.has(value),
  parents: isFlag,
  ifMatch: isText,
  recursive: isFlag,
  force: isFlag,
}

function readOptions(value: unknown): CallOptions | undefined {
  const fields = Object.entries(optionChecks).map(([name, is]) => [name, own(value, name), is] as const)
  if (!isObject(value) || !fields.every(([, field, is]) => maybe(field, is))) return undefined
  return Object.fromEntries(fields.filter(([, field]) => field !== undefined).map(([name, field]) => [name, field]))
}

/** The message, if the end without files may say it. */
export function readAsking(message: unknown): Asking | undefined {
  const [files, id] = [own(message, 'files'), own(message, 'id')]
  if (files === 'hello' || files === 'bye') return { files }
  if (!isId(id)) return undefined
  if (files === 'abort' || files === 'unwatch') return { files, id }
  if (files === 'watch') {
    const prefix = own(message, 'prefix')
    return isText(prefix) ? { files, id, prefix } : undefined
  }
  if (files !== 'call') return undefined
  const [operation, path, to = '/', data = empty] = ['operation', 'path', 'to', 'data'].map((key) => own(message, key))
  const options = readOptions(own(message, 'options'))
  if (!operations.has(operation) || !isText(path) || !isText(to) || !isBytes(data) || !options) return undefined
  return { files, id, operation: operation as FileCall['operation'], path, to, data, options }
}

/** The message, if the end with files may say it; a value or an error is whatever came. */
export function readAnswering(message: unknown): Answering | undefined {
  const [files, id] = [own(message, 'files'), own(message, 'id')]
  if (files === 'bye') return { files }
  if (files === 'welcome') {
    const capabilities = readCapabilities(own(message, 'capabilities'))
    // Who cannot say what its files can do has none.
    return capabilities ? { files, capabilities } : { files: 'bye' }
  }
  if (!isId(id)) return undefined
  if (files === 'done') return { files, id, value: own(message, 'value') }
  if (files === 'failed') return { files, id, error: own(message, 'error') as SentError }
  const change = own(message, 'change')
  return files === 'change' && isChange(change) ? { files, id, change } : undefined
}

function readCapabilities(value: unknown): VfsCapabilities | undefined {
  const given = value as VfsCapabilities
  const flags = ['persistent', 'readOnly', 'atomicRename', 'cas', 'watch'].map((name) => own(value, name))
  const isGood =
    flags.every(isFlag) &&
    isText(own(value, 'name')) &&
    ['native', 'rewrite'].includes(String(own(value, 'append'))) &&
    maybe(own(value, 'maxFileBytes'), isAmount) &&
    maybe(own(value, 'root'), isText)
  return isGood ? given : undefined
}

const isType = (value: unknown): boolean => value === 'file' || value === 'dir'

const isStat = (value: unknown): value is VfsStat =>
  isType(own(value, 'type')) &&
  isText(own(value, 'path')) &&
  isAmount(own(value, 'size')) &&
  typeof own(value, 'mtime') === 'number' &&
  maybe(own(value, 'etag'), isText) &&
  maybe(own(value, 'mime'), isText)

/** A name of its own directory: no other leads anywhere else. */
const isName = (value: unknown): boolean =>
  isText(value) && value !== '' && value !== '.' && value !== '..' && !/[/\0]/.test(value)

const isEntry = (value: unknown): value is VfsEntry =>
  isName(own(value, 'name')) &&
  isType(own(value, 'type')) &&
  maybe(own(value, 'size'), isAmount) &&
  maybe(own(value, 'mtime'), (time) => typeof time === 'number')

function isListing(value: unknown): value is Listing {
  const entries = own(value, 'entries')
  return Array.isArray(entries) && entries.every(isEntry) && maybe(own(value, 'cursor'), isText)
}

function isChange(value: unknown): value is VfsChange {
  return isText(own(value, 'path')) && ['add', 'modify', 'delete'].includes(String(own(value, 'type')))
}

export type Check<Value> = (value: unknown) => value is Value

interface AnswerChecks {
  readonly stat: Check<VfsStat | undefined>
  readonly list: Check<Listing>
  readonly read: Check<Uint8Array>
  readonly write: Check<VfsStat>
  /** Of all others. */
  readonly nothing: Check<undefined>
}

/** What an operation answers. */
export const answerChecks: AnswerChecks = {
  stat: (value) => value === undefined || isStat(value),
  list: isListing,
  read: isBytes,
  write: isStat,
  nothing: (value) => value === undefined,
}
