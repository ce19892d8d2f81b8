// Newline-delimited JSON: one value a line.
import { SameloopError } from '../error/error.ts'
import { parseJson, stringifyJson } from '../json/text.ts'

export interface NdjsonOptions {
  /** The longest line, in characters; a longer one is `stream-too-large`. Default 16 Mi. */
  readonly maxLineChars?: number | undefined
  /** Told of a line that is no JSON, where reading goes on after it. */
  readonly onBroken?: ((line: string) => void) | undefined
}

export interface NdjsonDecoder {
  push(bytes: Uint8Array): void
  /** Takes a last line without its line break. */
  end(): void
}

const defaultMaxLineChars = 16 * 2 ** 20

/** Calls `onValue` for each line that is not blank. Throws `stream-invalid` for a line that is no JSON, unless `onBroken` takes it. */
export function ndjsonDecoder(onValue: (value: unknown) => void, options: NdjsonOptions = {}): NdjsonDecoder {
  const { maxLineChars = defaultMaxLineChars, onBroken } = options
  const utf8 = new TextDecoder()
  let line = ''

  const take = (text: string): void => {
    if (text.trim() === '') return
    const parsed = parseJson(text)
    if (!parsed.ok && onBroken) return onBroken(text)
    if (!parsed.ok) throw new SameloopError('stream-invalid', 'Cannot read line: not JSON', { retryable: true })
    onValue(parsed.value)
  }

  const scan = (text: string): void => {
    let at = 0
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', at)) {
      const whole = line + text.slice(at, end)
      line = ''
      at = end + 1
      take(whole)
    }
    line += text.slice(at)
    if (line.length > maxLineChars) {
      throw new SameloopError('stream-too-large', `Cannot read line: longer than ${maxLineChars} characters`, {
        data: { limit: maxLineChars },
      })
    }
  }

  return {
    push: (bytes) => scan(utf8.decode(bytes, { stream: true })),
    end: () => {
      scan(utf8.decode())
      take(line)
      line = ''
    },
  }
}

/** One value as a line, line break included. */
export function encodeNdjson(value: unknown): string {
  return stringifyJson(value) + '\n'
}
