// What a command prints: bounded while it runs, head and tail in its result, the whole in a file.
import { guarded } from '../error/guard.ts'
import type { ExecRequest, ExecResult } from '../sandbox/sandbox.ts'
import type { Bounds } from './request.ts'

export type Stream = 'stdout' | 'stderr'

export interface Output {
  add(stream: Stream, text: string): void
  /** Both streams for a result. `spill` keeps the whole where something is cut, and says in which file. */
  close(spill: (whole: string) => Promise<string | undefined>): Promise<Printed>
}

export type Printed = Pick<ExecResult, 'stdout' | 'stderr' | 'truncated'>

export interface OutputOptions {
  readonly bounds: Bounds
  readonly onOutput: ExecRequest['onOutput']
  /** More was printed than can be kept. */
  readonly onFull: () => void
}

/** What went to one stream without the other between. */
interface Section {
  readonly stream: Stream
  readonly blocks: string[]
  pieces: string[]
}

/** What a change of the stream costs, in characters: somebody may change it with every one. */
const sectionCost = 64
const piecesOfBlock = 1024

export function output({ bounds, onOutput, onFull }: OutputOptions): Output {
  const { outputChars, spillChars } = bounds
  const sections: Section[] = []
  let room = spillChars
  let isOpen = true
  const append = (stream: Stream, text: string): void => {
    let section = sections.at(-1)
    if (section?.stream !== stream) {
      room -= sections.length && sectionCost
      sections.push((section = { stream, blocks: [], pieces: [] }))
    }
    section.pieces.push(text)
    // Millions of little pieces become few long ones.
    if (section.pieces.length < piecesOfBlock) return
    section.blocks.push(section.pieces.join(''))
    section.pieces = []
  }
  return {
    add: (stream, text) => {
      if (!isOpen || text === '') return
      const kept = text.length > room ? text.slice(0, Math.max(0, room)) : text
      room -= text.length
      if (kept) {
        append(stream, kept)
        guarded(() => onOutput?.({ stream, text: kept }), undefined)
      }
      if (kept.length === text.length) return
      isOpen = false
      onFull()
    },
    close: async (spill) => {
      isOpen = false
      const whole = (stream?: Stream): string =>
        sections
          .filter((section) => stream === undefined || section.stream === stream)
          .map(textOf)
          .join('')
      const [stdout, stderr] = [whole('stdout'), whole('stderr')]
      if (stdout.length <= outputChars && stderr.length <= outputChars) return { stdout, stderr }
      const spilledTo = await spill(whole())
      const [out, err] = [stdout, stderr].map((text) => headAndTail(text, outputChars, spilledTo)) as [Cut, Cut]
      return {
        stdout: out.text,
        stderr: err.text,
        truncated: {
          ...(out.missing > 0 && { stdout: out.missing }),
          ...(err.missing > 0 && { stderr: err.missing }),
          ...(spilledTo !== undefined && { spilledTo }),
        },
      }
    },
  }
}

const textOf = ({ blocks, pieces }: Section): string => blocks.join('') + pieces.join('')

interface Cut {
  readonly text: string
  readonly missing: number
}

/** Never half of a surrogate pair. */
function headAndTail(text: string, limit: number, path: string | undefined): Cut {
  if (text.length <= limit) return { text, missing: 0 }
  const head = text.slice(0, Math.ceil(limit / 2)).replace(/[\ud800-\udbff]$/, '')
  const tail = text.slice(text.length - Math.floor(limit / 2)).replace(/^[\udc00-\udfff]/, '')
  const missing = text.length - head.length - tail.length
  const where = path === undefined ? '' : `; the whole is in "${path}"`
  return { text: `${head}\n[… ${missing} characters left out${where} …]\n${tail}`, missing }
}
