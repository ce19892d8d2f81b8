// What a script prints: bytes that come in any pieces, as text.
import type { Stream } from '../../../src/confined/output.ts'
import type { Program } from '../../../src/sandbox/interpreter.ts'

export interface Printer {
  bytes(stream: Stream, bytes: Uint8Array): void
  text(stream: Stream, text: string): void
  /** The last characters that went to the standard error. */
  tail(): string
  end(): void
}

const tailChars = 2000

/** Without the advice of just-bash to whoever builds with it: neither a model nor its person can follow that. */
export const forReaders = (text: string): string =>
  text
    .replace(/, increase executionLimits\.\w+/g, '')
    .replace(
      / not available in browser environments\. Exclude '[\w-]+' from your commands or use the Node\.js bundle\.?/g,
      ' not found',
    )

/** Bytes that are no UTF-8 are shown as U+FFFD; a character that is cut in two is waited for. */
export function printer(output: Program['output']): Printer {
  const decoderOf = (): TextDecoder => new TextDecoder('utf-8', { fatal: false, ignoreBOM: true })
  const decoders = { stdout: decoderOf(), stderr: decoderOf() }
  let tail = ''
  const say = (stream: Stream, text: string): void => {
    if (text === '') return
    const said = stream === 'stderr' ? forReaders(text) : text
    if (stream === 'stderr') tail = (tail + said.slice(-tailChars)).slice(-tailChars)
    output(stream, said)
  }
  return {
    bytes: (stream, bytes) => say(stream, decoders[stream].decode(bytes, { stream: true })),
    text: (stream, text) => say(stream, decoders[stream].decode() + text),
    tail: () => tail,
    end: () => {
      for (const stream of ['stdout', 'stderr'] as const) say(stream, decoders[stream].decode())
    },
  }
}
