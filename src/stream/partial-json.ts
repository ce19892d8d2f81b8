// Reads JSON while it is still being written, for live views of arguments and structured output.
import { maxJsonDepth, parseJson } from './json.ts'

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
type Frame = { readonly list: unknown[] } | { readonly list?: undefined; readonly record: Record<string, unknown>; key: string | undefined }

type Expected = 'value' | 'first' | 'key' | 'colon' | 'comma' | 'string' | 'word' | 'nothing'

const escapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\', '/': '/' }

const isSpace = (code: number): boolean => code === 32 || code === 10 || code === 13 || code === 9

/** The frame's container with one more child, as a copy. A computed key makes an own property whatever its name. */
const withChild = (frame: Frame, child: unknown): unknown => {
  if (frame.list) return [...frame.list, child]
  return frame.key === undefined ? { ...frame.record } : { ...frame.record, [frame.key]: child }
}

const copy = (frame: Frame): unknown => (frame.list ? [...frame.list] : { ...frame.record })

// @__NO_SIDE_EFFECTS__
export function partialJson(): PartialJson {
  const frames: Frame[] = []
  let expected: Expected = 'value'
  let root: unknown
  /** The open string, decoded as far as it goes, or the open word. */
  let text = ''
  /** An escape that is not whole, and half of a surrogate pair: neither is shown. */
  let escape = ''
  let half = ''
  let isKey = false

  const add = (child: unknown): void => {
    const frame = frames.at(-1)
    expected = frame ? 'comma' : 'nothing'
    if (!frame) root = child
    else if (frame.list) frame.list.push(child)
    else if (frame.key !== undefined) {
      Object.defineProperty(frame.record, frame.key, { value: child, writable: true, enumerable: true, configurable: true })
      frame.key = undefined
    }
  }

  const open = (frame: Frame): void => {
    expected = frames.push(frame) > maxJsonDepth ? 'nothing' : 'first'
  }

  const close = (isList: boolean): void => {
    const frame = frames.at(-1)
    if (!frame || isList !== Boolean(frame.list)) return void (expected = 'nothing')
    frames.pop()
    add(frame.list ?? (frame as { record: unknown }).record)
  }

  // The string itself is not looked at: that would flatten its rope each time.
  const append = (piece: string): void => {
    const more = half + piece
    half = /[\ud800-\udbff]/.test(more.charAt(more.length - 1)) ? more.charAt(more.length - 1) : ''
    text += half ? more.slice(0, -1) : more
  }

  /** Takes the open string on from `at`; returns where it stopped. */
  const readString = (piece: string, at: number): number => {
    if (escape) {
      escape += piece.charAt(at)
      const done = escape.charAt(1) === 'u' ? escape.length === 6 : true
      if (!done) return at + 1
      const plain = Object.hasOwn(escapes, escape.charAt(1)) ? escapes[escape.charAt(1)] : undefined
      const code = /^\\u[\da-fA-F]{4}$/.test(escape) ? String.fromCharCode(parseInt(escape.slice(2), 16)) : plain
      escape = ''
      if (code === undefined) expected = 'nothing'
      append(code ?? '')
      return at + 1
    }
    let end = at
    for (; end < piece.length; end++) {
      const code = piece.charCodeAt(end)
      if (code === 34 || code === 92 || code < 32) break
    }
    if (end > at) append(piece.slice(at, end))
    if (end === piece.length) return end
    const code = piece.charCodeAt(end)
    if (code === 92) escape = '\\'
    else if (code < 32) expected = 'nothing'
    else endString()
    return end + 1
  }

  const endString = (): void => {
    const frame = frames.at(-1)
    text += half
    half = ''
    if (!isKey) add(text)
    else if (frame && !frame.list) {
      frame.key = text
      expected = 'colon'
    }
    text = ''
  }

  const endWord = (): void => {
    const parsed = parseJson(text)
    text = ''
    if (parsed.ok) add(parsed.value)
    else expected = 'nothing'
  }

  /** Takes one character between tokens. */
  const step = (char: string): void => {
    const frame = frames.at(-1)
    const inRecord = frame !== undefined && !frame.list
    if (expected === 'colon') expected = char === ':' ? 'value' : 'nothing'
    else if (char === '}' || char === ']') {
      if (expected === 'comma' || expected === 'first') close(char === ']')
      else expected = 'nothing'
    } else if (expected === 'comma') {
      const next = inRecord ? 'key' : 'value'
      expected = char === ',' ? next : 'nothing'
    } else {
      isKey = expected === 'key' || (expected === 'first' && inRecord)
      if (char === '"') expected = 'string'
      else if (isKey) expected = 'nothing'
      else if (char === '{') open({ record: {}, key: undefined })
      else if (char === '[') open({ list: [] })
      else {
        expected = 'word'
        text = char
      }
    }
  }

  return {
    feed(piece) {
      for (let at = 0; at < piece.length && expected !== 'nothing'; ) {
        if (expected === 'string') {
          at = readString(piece, at)
          continue
        }
        const char = piece.charAt(at)
        if (expected === 'word') {
          if (/[\w.+-]/.test(char)) {
            text += char
            at++
          } else endWord()
          continue
        }
        if (!isSpace(piece.charCodeAt(at))) step(char)
        at++
      }
    },
    value() {
      let child: unknown = root
      let has = root !== undefined
      if (expected === 'string' && !isKey) {
        child = text
        has = true
      }
      for (let depth = frames.length - 1; depth >= 0; depth--) {
        const frame = frames[depth] as Frame
        child = has ? withChild(frame, child) : copy(frame)
        has = true
      }
      return child
    },
  }
}
