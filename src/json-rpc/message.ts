// JSON-RPC 2.0 messages as MCP narrows them: ids are texts or integers, params and results are objects.
import { isObject, own } from '../json/value.ts'
import type { JsonObject } from '../json/value.ts'

export type RpcId = string | number

export interface RpcError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

export interface RpcRequest {
  readonly jsonrpc: '2.0'
  readonly id: RpcId
  readonly method: string
  readonly params?: JsonObject | undefined
}

export interface RpcNotification {
  readonly jsonrpc: '2.0'
  readonly method: string
  readonly params?: JsonObject | undefined
}

export interface RpcResult {
  readonly jsonrpc: '2.0'
  readonly id: RpcId
  readonly result: JsonObject
}

/** `id` is missing where the sender could not read that of the request. */
export interface RpcFailure {
  readonly jsonrpc: '2.0'
  readonly id?: RpcId | undefined
  readonly error: RpcError
}

export type RpcMessage = RpcRequest | RpcNotification | RpcResult | RpcFailure

/** What a peer sent, checked. The insides of `params`, `result` and `error.data` are still hostile. */
export type ReceivedMessage =
  | { readonly type: 'request'; readonly id: RpcId; readonly method: string; readonly params: JsonObject }
  | { readonly type: 'notification'; readonly method: string; readonly params: JsonObject }
  | { readonly type: 'result'; readonly id: RpcId; readonly result: JsonObject }
  | { readonly type: 'error'; readonly id: RpcId | undefined; readonly error: RpcError }

/** Longer ids and method names are refused. */
const maxNameChars = 1024

/** The id of a message, or `undefined` where it has none that can be answered. */
export function messageId(value: unknown): RpcId | undefined {
  const id = own(value, 'id')
  if (typeof id === 'string') return id.length > maxNameChars ? undefined : id
  return Number.isSafeInteger(id) ? (id as number) : undefined
}

/** What parsed JSON says, or `undefined` where it is no message of JSON-RPC 2.0. A batch is none: read its items. */
export function readMessage(value: unknown): ReceivedMessage | undefined {
  if (!isObject(value) || own(value, 'jsonrpc') !== '2.0') return undefined
  const id = messageId(value)
  const method = own(value, 'method')
  if (method !== undefined) return readCall(value, method, id)
  const result = own(value, 'result')
  if (isObject(result)) return id === undefined ? undefined : { type: 'result', id, result }
  const error = own(value, 'error')
  const code = own(error, 'code')
  const message = own(error, 'message')
  if (!Number.isSafeInteger(code) || typeof message !== 'string') return undefined
  return { type: 'error', id, error: { code: code as number, message, data: own(error, 'data') } }
}

function readCall(value: JsonObject, method: unknown, id: RpcId | undefined): ReceivedMessage | undefined {
  const params = own(value, 'params') ?? {}
  if (typeof method !== 'string' || method.length > maxNameChars || !isObject(params)) return undefined
  if (id !== undefined) return { type: 'request', id, method, params }
  // An id that cannot be answered makes no notification.
  return Object.hasOwn(value, 'id') ? undefined : { type: 'notification', method, params }
}

export const rpcRequest = (id: RpcId, method: string, params: JsonObject): RpcRequest => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
})

export const rpcNotification = (method: string, params?: JsonObject): RpcNotification => ({
  jsonrpc: '2.0',
  method,
  ...(params && { params }),
})

export const rpcResult = (id: RpcId, result: JsonObject): RpcResult => ({ jsonrpc: '2.0', id, result })

export const rpcFailure = (id: RpcId | undefined, error: RpcError): RpcFailure => ({
  jsonrpc: '2.0',
  ...(id !== undefined && { id }),
  error,
})
