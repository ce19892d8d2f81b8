// What a program finds around it: text that is evaluated in each new context before the program. The program can
// change every global and prototype, so that all that is used here was captured first; and nothing here is trusted by the
// side that it asks.
import { inspectText } from './inspect.ts'

/**
 * A function of what is given by the host and of the settings, as JSON text. Texts go both ways as JSON, which has no NUL:
 * the engine's own texts end at one. It returns `settle(id, ok, text, buffer)` for answers, `follow(promise)`, which tells
 * of the end of the program, and `ended(error)` for one that cannot begin.
 */
export const preludeText: string = String.raw`(function (host, given) {
  'use strict'
  const { print, ask, cancel, exit, room, finish, encode, decode } = host
  const { apply, ownKeys, getOwnPropertyDescriptor, getPrototypeOf, defineProperty } = Reflect
  const { stringify, parse } = JSON
  const { isArray } = Array
  const { isView } = ArrayBuffer
  const { freeze } = Object
  const text = String
  const [NativeError, NativePromise, NativeMap, NativeSet] = [Error, Promise, Map, Set]
  const [NativeDate, NativeRegExp, NativeDataView, NativeBuffer, Bytes] = [Date, RegExp, DataView, ArrayBuffer, Uint8Array]
  const [NativeTypeError, NativeRangeError] = [TypeError, RangeError]
  const { then } = Promise.prototype
  const { get: mapGet, set: mapSet, delete: mapDelete, forEach: mapForEach } = Map.prototype
  const { has: setHas, add: setAdd, delete: setDelete, forEach: setForEach } = Set.prototype
  const { includes, lastIndexOf, replaceAll, slice: textSlice, split } = String.prototype
  const { toJSON: dateJson } = Date.prototype
  const { test } = RegExp.prototype
  const { slice: bufferSlice } = ArrayBuffer.prototype
  const resolved = Promise.resolve(undefined)
  const plainKey = /^[A-Za-z_$][\w$]*$/
  const viewGetters = {}
  for (const key of ['buffer', 'byteOffset', 'byteLength'])
    viewGetters[key] = [getPrototypeOf(Bytes.prototype), DataView.prototype].map((place) => getOwnPropertyDescriptor(place, key).get)

  const cut = (value, limit) => (value.length > limit ? apply(textSlice, value, [0, limit]) + '…' : value)

  const errorText = (error) => {
    const { name, message, stack } = error
    const kind = typeof name === 'string' && name !== '' ? cut(name, 1000) : 'Error'
    let shown = typeof message === 'string' && message !== '' ? kind + ': ' + cut(message, 10000) : kind
    if (typeof stack !== 'string') return shown
    const places = apply(split, cut(stack, 10000), ['\n'])
    for (let i = 0, told = 0; i < places.length && told < 8; i++) {
      const place = places[i]
      // The frame of the function that the program became is none of its own.
      if (!apply(includes, place, ['program.js']) || apply(includes, place, ['<eval> (program.js'])) continue
      told++
      // A column of the first line would count from that function.
      const end = apply(lastIndexOf, place, [':'])
      shown += '\n' + apply(textSlice, place, [0, end]) + (apply(includes, place, ['(']) ? ')' : '')
    }
    return shown
  }
  ${inspectText}

  const waiting = new NativeMap()
  const later = (id, resolve, reject) => apply(mapSet, waiting, [id, { __proto__: null, resolve, reject }])
  const quoted = (value, what) => {
    if (typeof value !== 'string') throw new NativeTypeError(what + ' must be a string, got ' + cut(show(value), 80))
    return stringify(value)
  }
  const wish = (kind, first, second, bytes) =>
    new NativePromise((resolve, reject) => later(ask(kind, first, second, bytes), resolve, reject))

  const asError = ({ name, message, code }) => {
    const error = new NativeError(message)
    if (code !== undefined) error.code = code
    return error
  }
  const bytesOf = (buffer) => new Bytes(apply(bufferSlice, buffer, [0]))
  const bufferOf = (value) => {
    if (value instanceof NativeBuffer) return value
    if (!isView(value)) throw new NativeTypeError('data must be bytes (a Uint8Array) or a text, got ' + cut(show(value), 80))
    const at = value instanceof NativeDataView ? 1 : 0
    const buffer = apply(viewGetters.buffer[at], value, [])
    const start = apply(viewGetters.byteOffset[at], value, [])
    return apply(bufferSlice, buffer, [start, start + apply(viewGetters.byteLength[at], value, [])])
  }

  const settle = (id, ok, said, buffer) => {
    const found = apply(mapGet, waiting, [id])
    if (found === undefined) return
    apply(mapDelete, waiting, [id])
    if (found.reject === undefined) return found.resolve()
    let value
    try {
      value = buffer === undefined ? said && parse(said) : bytesOf(buffer)
    } catch (error) {
      return found.reject(error)
    }
    if (ok) found.resolve(value)
    else found.reject(asError(value))
  }

  const ended = (error) => {
    room()
    let words = 'The program failed with an error that cannot be shown'
    let kind = ''
    try {
      // The engine throws null where there is no memory left even for an error.
      if (error === null) words = kind = 'InternalError: out of memory'
      else words = error instanceof NativeError ? errorText(error) : 'Uncaught ' + show(error)
      if (error instanceof NativeError) kind = text(error.name) + ': ' + text(error.message)
    } catch {}
    try {
      finish(false, stringify(words), stringify(kind))
    } catch {
      finish(false, '', '')
    }
  }
  const follow = (promise) => {
    const returned = (value) => {
      let said
      try {
        said = value === undefined ? undefined : stringify(value)
      } catch (error) {
        return ended(new NativeTypeError('The returned value cannot be printed as JSON: ' + text(error.message)))
      }
      finish(true, said)
    }
    apply(then, promise, [returned, ended])
  }

  const printer = (stream) => (...values) => {
    let line = ''
    for (let i = 0; i < values.length; i++) line += (i > 0 ? ' ' : '') + show(values[i])
    print(stream, stringify(line + '\n'))
  }
  const [out, err] = [printer('stdout'), printer('stderr')]

  const delay = (ms) => {
    const wanted = +ms
    return wanted > 0 ? wanted : 0
  }
  const startTimer = (work, ms, values) => {
    if (typeof work !== 'function') throw new NativeTypeError('setTimeout wants a function')
    const id = ask('timer', stringify(delay(ms)))
    later(id, () => void apply(work, undefined, values))
    return id
  }

  const callTool = (name, input) => {
    const said = stringify(input)
    return wish('call', quoted(name, 'The name of a tool'), said === undefined ? '{}' : said)
  }
  const notTools = { __proto__: null, then: true, toJSON: true }
  const tools = new Proxy(freeze({ __proto__: null }), {
    __proto__: null,
    get: (_, name) => (typeof name !== 'string' || notTools[name] ? undefined : (input) => callTool(name, input)),
  })

  const file = (kind) => async (path, options) =>
    wish(kind, quoted(path, 'A path'), stringify(options === undefined ? {} : options))
  const writeText = async (path, said, options = {}) => {
    if (typeof said !== 'string') throw new NativeTypeError('text must be a string, got ' + cut(show(said), 80))
    return wish('write', quoted(path, 'A path'), stringify(options), encode(stringify(said)))
  }
  const fs = freeze({
    readText: file('readText'),
    read: file('read'),
    writeText,
    write: async (path, data, options = {}) =>
      typeof data === 'string'
        ? writeText(path, data, options)
        : wish('write', quoted(path, 'A path'), stringify(options), bufferOf(data)),
    list: (path = '.') => file('list')(path),
    stat: file('stat'),
    exists: file('exists'),
    remove: file('remove'),
    mkdir: file('mkdir'),
    rename: async (from, to) => wish('rename', quoted(from, 'A path'), quoted(to, 'A path')),
  })

  const fetch = async (url, options) => {
    const { method, headers, body } = options ?? {}
    const words = { method: method && text(method), headers, body: body === undefined ? undefined : text(body) }
    const { said, ...facts } = await wish('fetch', quoted(text(url), 'A URL'), stringify(words))
    return { ...facts, text: async () => said, json: async () => parse(said) }
  }

  class TextEncoder {
    get encoding() {
      return 'utf-8'
    }
    encode(said = '') {
      return bytesOf(encode(stringify(text(said))))
    }
  }
  class TextDecoder {
    #isFatal
    constructor(label = 'utf-8', options = {}) {
      if (label !== 'utf-8' && label !== 'utf8' && label !== 'UTF-8')
        throw new NativeRangeError('Only utf-8 can be decoded, got ' + cut(text(label), 80))
      this.#isFatal = options.fatal === true
    }
    get encoding() {
      return 'utf-8'
    }
    decode(bytes) {
      return bytes === undefined ? '' : parse(decode(bufferOf(bytes), this.#isFatal))
    }
  }

  const settings = parse(given)
  const globals = {
    console: { log: out, info: out, debug: out, dir: out, table: out, warn: err, error: err, trace: err },
    fs,
    cwd: settings.cwd,
    env: settings.env,
    stdin: settings.stdin,
    exit: (code = 0) => exit(+code),
    sleep: async (ms) => new NativePromise((resolve) => void startTimer(resolve, ms, [])),
    setTimeout: (work, ms, ...values) => startTimer(work, ms, values),
    clearTimeout: (id) => {
      if (typeof id === 'number' && apply(mapDelete, waiting, [id])) cancel(id)
    },
    queueMicrotask: (work) => void apply(then, resolved, [() => void work()]),
    TextEncoder,
    TextDecoder,
    ...(settings.hasTools ? { tools, callTool } : {}),
    ...(settings.hasFetch ? { fetch } : {}),
  }
  for (const name of ownKeys(globals))
    defineProperty(globalThis, name, { value: globals[name], writable: true, configurable: true, enumerable: false })
  return { __proto__: null, settle, follow, ended }
})`
