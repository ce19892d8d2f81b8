// Reads JSON while it is still being written, for live views of arguments and structured output.
import { maxJsonDepth, parseJson } from '../json/text.ts'

export interface PartialJson {
  /** Takes more text; work is linear in it. What is no JSON stops the reading for good. */
  feed(text: string): void
  /**
   * What is there so far, made on demand: open strings as far as they go, numbers and words once they have ended.
   * Closed parts are shared between answers, open ones are copied. `undefined` before there is anything.
   */
  value(): unknown
}

/** A container that is still open. Children come in when they close. */
type Frame =
  | { readonly list: unknown[] }
  | { readonly list?: undefined; readonly record: Record<string, unknown>; key: string | undefined }

type Expected = 'value' | 'first' | 'key' | 'colon' | 'comma' | 'string' | 'word' | 'nothing'

interface Reading {
  readonly frames: Frame[]
  expected: Expected
  root: unknown
  /** The open string, decoded as far as it goes, or the open word. */
  text: string
  isKey: boolean
  /** An escape that is not whole, and half of a surrogate pair: neither is shown. */
  escape: string
  half: string
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
])

const isSpace = (code: number): boolean => code === 32 || code === 10 || code === 13 || code === 9

/** The frame's container, with one more child, as a copy. A computed key makes an own property whatever its name. */
function copied(frame: Frame, has: boolean, child: unknown): unknown {
  if (frame.list) return has ? [...frame.list, child] : [...frame.list]
  return has && frame.key !== undefined ? { ...frame.record, [frame.key]: child } : { ...frame.record }
}

function add(reading: Reading, child: unknown): void {
  const frame = reading.frames.at(-1)
  reading.expected = frame ? 'comma' : 'nothing'
  if (!frame) reading.root = child
  else if (frame.list) frame.list.push(child)
  else if (frame.key !== undefined) {
    const property = { value: child, writable: true, enumerable: true, configurable: true }
    Object.defineProperty(frame.record, frame.key, property)
    frame.key = undefined
  }
}

function open(reading: Reading, frame: Frame): void {
  reading.expected = reading.frames.push(frame) > maxJsonDepth ? 'nothing' : 'first'
}

function close(reading: Reading, isList: boolean): void {
  const frame = reading.frames.at(-1)
  reading.expected = 'nothing'
  if (!frame || isList !== Boolean(frame.list)) return
  reading.frames.pop()
  add(reading, frame.list ?? frame.record)
}

// The string itself is not looked at: that would flatten its rope each time.
function append(reading: Reading, piece: string): void {
  const more = reading.half + piece
  const last = more.charAt(more.length - 1)
  reading.half = /[\ud800-\udbff]/.test(last) ? last : ''
  reading.text += reading.half ? more.slice(0, -1) : more
}

function endString(reading: Reading): void {
  const frame = reading.frames.at(-1)
  const text = reading.text + reading.half
  reading.text = reading.half = ''
  if (!reading.isKey) add(reading, text)
  else if (frame && !frame.list) {
    frame.key = text
    reading.expected = 'colon'
  }
}

/** Takes one more character of an escape. */
function readEscape(reading: Reading, char: string): void {
  reading.escape += char
  const { escape } = reading
  const letter = escape.charAt(1)
  if (letter === 'u' && escape.length < 6) return
  const code = /^\\u[\da-fA-F]{4}$/.test(escape) ? parseInt(escape.slice(2), 16) : undefined
  const plain = code === undefined ? escapes.get(letter) : String.fromCharCode(code)
  reading.escape = ''
  if (plain === undefined) reading.expected = 'nothing'
  else append(reading, plain)
}

/** Takes the open string on from `at`; returns where it stopped. */
function readString(reading: Reading, piece: string, at: number): number {
  if (reading.escape) {
    readEscape(reading, piece.charAt(at))
    return at + 1
  }
  let end = at
  let code = 0
  for (; end < piece.length; end++) {
    code = piece.charCodeAt(end)
    if (code === 34 || code === 92 || code < 32) break
  }
  if (end > at) append(reading, piece.slice(at, end))
  if (end === piece.length) return end
  if (code === 92) reading.escape = '\\'
  else if (code === 34) endString(reading)
  else reading.expected = 'nothing'
  return end + 1
}

/** Takes one character of a number or a word; returns whether it was of it. */
function readWord(reading: Reading, char: string): boolean {
  if (/[\w.+-]/.test(char)) {
    reading.text += char
    return true
  }
  const parsed = parseJson(reading.text)
  reading.text = ''
  if (parsed.ok) add(reading, parsed.value)
  else reading.expected = 'nothing'
  return false
}

/** Takes one character between tokens. */
function readMark(reading: Reading, char: string): void {
  const { expected } = reading
  const frame = reading.frames.at(-1)
  const inRecord = frame !== undefined && !frame.list
  reading.expected = 'nothing'
  if (expected === 'colon') reading.expected = char === ':' ? 'value' : 'nothing'
  else if (char === '}' || char === ']') {
    if (expected === 'comma' || expected === 'first') close(reading, char === ']')
  } else if (expected === 'comma') {
    if (char === ',') reading.expected = inRecord ? 'key' : 'value'
  } else {
    reading.isKey = expected === 'key' || (expected === 'first' && inRecord)
    if (char === '"') reading.expected = 'string'
    else if (reading.isKey) return
    else if (char === '{') open(reading, { record: {}, key: undefined })
    else if (char === '[') open(reading, { list: [] })
    else {
      reading.expected = 'word'
      reading.text = char
    }
  }
}

function shown({ frames, expected, root, text, isKey }: Reading): unknown {
  const inString = expected === 'string' && !isKey
  let child = inString ? text : root
  let has = child !== undefined
  for (let depth = frames.length - 1; depth >= 0; depth--) {
    child = copied(frames[depth] as Frame, has, child)
    has = true
  }
  return child
}

// @__NO_SIDE_EFFECTS__
export function partialJson(): PartialJson {
  const reading: Reading = {
    frames: [],
    expected: 'value',
    root: undefined,
    text: '',
    isKey: false,
    escape: '',
    half: '',
  }
  return {
    value: () => shown(reading),
    feed(piece) {
      for (let at = 0; at < piece.length && reading.expected !== 'nothing';) {
        if (reading.expected === 'string') at = readString(reading, piece, at)
        else if (reading.expected === 'word') at += readWord(reading, piece.charAt(at)) ? 1 : 0
        else {
          if (!isSpace(piece.charCodeAt(at))) readMark(reading, piece.charAt(at))
          at++
        }
      }
    },
  }
}
