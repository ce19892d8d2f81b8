import { describe, expect, it } from 'vitest'
import {
  messageId,
  readMessage,
  rpcFailure,
  rpcNotification,
  rpcRequest,
  rpcResult,
} from '../../src/json-rpc/message.ts'

describe('readMessage()', () => {
  it('reads what the makers of messages make', () => {
    const error = { code: -32601, message: 'No such method' }
    expect(readMessage(rpcRequest('a', 'ping', {}))).toEqual({ type: 'request', id: 'a', method: 'ping', params: {} })
    expect(readMessage(rpcNotification('changed'))).toEqual({ type: 'notification', method: 'changed', params: {} })
    expect(readMessage(rpcResult(0, { ok: true }))).toEqual({ type: 'result', id: 0, result: { ok: true } })
    expect(readMessage(rpcFailure(7, error))).toEqual({ type: 'error', id: 7, error })
    expect(readMessage(rpcFailure(undefined, error))).toEqual({ type: 'error', id: undefined, error })
  })

  it.each([
    ['a batch', [rpcRequest(1, 'ping', {})]],
    ['another version', { jsonrpc: '1.0', id: 1, method: 'ping' }],
    ['an inherited version', Object.create({ jsonrpc: '2.0', method: 'ping' })],
    ['an id that is null', { jsonrpc: '2.0', id: null, method: 'ping' }],
    ['an id that is no integer', { jsonrpc: '2.0', id: 1.5, method: 'ping' }],
    ['an id of a million characters', { jsonrpc: '2.0', id: 'x'.repeat(1e6), method: 'ping' }],
    ['a method that is no text', { jsonrpc: '2.0', id: 1, method: 1 }],
    ['params in a list', { jsonrpc: '2.0', id: 1, method: 'ping', params: [1] }],
    ['a result without an id', { jsonrpc: '2.0', result: {} }],
    ['a result that is no object', { jsonrpc: '2.0', id: 1, result: 'yes' }],
    ['an error without a code', { jsonrpc: '2.0', id: 1, error: { message: 'no' } }],
    ['nothing that is said', { jsonrpc: '2.0', id: 1 }],
  ])('refuses %s', (_, value) => {
    expect(readMessage(value)).toBeUndefined()
  })
})

describe('messageId()', () => {
  it('finds the id of a message that cannot be read, for the answer that says so', () => {
    expect(messageId({ id: 3, method: 4 })).toBe(3)
    expect(messageId({ id: {} })).toBeUndefined()
    expect(messageId('x')).toBeUndefined()
  })
})
