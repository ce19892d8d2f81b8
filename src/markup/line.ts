// The text of one block with its marks: emphasis, code, links. White space is that of a browser.

export type MarkKind = 'strong' | 'em' | 'del' | 'code' | 'sup' | 'link'

/** What was said since the last block ended. */
export interface Taken {
  readonly text: string
  /** How much it says: its characters, those of a script without spaces threefold. */
  readonly weight: number
  /** The part of `weight` that leads elsewhere. */
  readonly linked: number
}

/** Marks may stay open from one block to the next: each block has its own signs of them. */
export interface Line {
  text(text: string): void
  /** Text that stays as it is. */
  put(text: string, weight: number): void
  /** Returns what ends the mark. */
  mark(kind: MarkKind, url?: string): () => void
  lineBreak(): void
  take(): Taken | undefined
}

interface Mark {
  readonly kind: MarkKind
  readonly before: string
  readonly after: string
  /** Where its text begins among the pieces, once there is some. */
  start: number | undefined
}

const signs = {
  strong: { before: '**', after: '**' },
  em: { before: '*', after: '*' },
  del: { before: '~~', after: '~~' },
  code: { before: '`', after: '`' },
  sup: { before: '^', after: '' },
} as const

// What has no width and no meaning in a text, but carries hidden ones; and the marks that turn the reading order.
const invisible =
  /[\u0000-\u0008\u000e-\u001f\u007f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udfff]/g
const dense = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/g

export const visible = (text: string): string => text.replace(invisible, '')

export const weightOf = (text: string): number => text.length + 2 * (text.match(dense)?.length ?? 0)

interface Writing {
  readonly plain: boolean
  readonly marks: Mark[]
  /** Pieces: joined once, as a text that grows by each would be copied by each. */
  readonly out: string[]
  weight: number
  linked: number
  /** How many links are open. */
  links: number
  /** White space and line breaks that wait for what follows. */
  space: boolean
  breaks: number
}

/** `plain`: without signs for marks and links. */
export function line(plain: boolean): Line {
  const writing: Writing = { plain, marks: [], out: [], weight: 0, linked: 0, links: 0, space: false, breaks: 0 }
  return {
    text: (given) => {
      const text = visible(given).replace(/[\t\n\f\r ]+/g, ' ')
      const bare = text.trim()
      if (text.startsWith(' ')) writing.space = true
      if (bare === '') return
      add(writing, bare, weightOf(bare))
      writing.space = text.endsWith(' ')
    },
    put: (text, weight) => add(writing, text, weight),
    mark: (kind, url) => openMark(writing, kind, url),
    lineBreak: () => {
      writing.breaks++
    },
    take: () => {
      for (const mark of [...writing.marks].reverse()) close(writing, mark)
      const { weight, linked } = writing
      const text = writing.out.splice(0).join('')
      Object.assign(writing, { weight: 0, linked: 0, space: false, breaks: 0 })
      return text === '' ? undefined : { text, weight, linked }
    },
  }
}

function add(writing: Writing, text: string, weight: number): void {
  const { out, breaks, space } = writing
  if (out.length > 0 && breaks > 0) out.push('\n'.repeat(Math.min(breaks, 2)))
  else if (out.length > 0 && space) {
    out.push(' ')
    count(writing, 1)
  }
  writing.space = false
  writing.breaks = 0
  for (const mark of writing.marks) {
    if (mark.start !== undefined) continue
    mark.start = out.push(mark.before)
  }
  out.push(text)
  count(writing, weight)
}

function count(writing: Writing, weight: number): void {
  writing.weight += weight
  if (writing.links > 0) writing.linked += weight
}

function openMark(writing: Writing, kind: MarkKind, url: string | undefined): () => void {
  const { plain, marks } = writing
  const isLink = kind === 'link'
  if (isLink) writing.links++
  const isNew = marks.every((mark) => mark.kind !== kind && mark.kind !== 'code')
  const isShown = !plain && isNew && !(isLink && url === undefined)
  const mark: Mark = { kind, ...(isLink ? { before: '[', after: `](${url})` } : signs[kind]), start: undefined }
  if (isShown) marks.push(mark)
  return () => {
    if (isLink) writing.links--
    if (!isShown) return
    close(writing, mark)
    marks.splice(marks.indexOf(mark), 1)
  }
}

/** Closes a mark that has text; the sign of code is longer than any within it. */
function close({ out }: Writing, mark: Mark): void {
  const { start, kind, after } = mark
  if (start === undefined) return
  mark.start = undefined
  const ticked = kind === 'code' && out.slice(start).some((piece) => piece.includes('`'))
  if (ticked) out[start - 1] = '`` '
  // A footnote in brackets is none of a number's powers.
  if (kind === 'sup' && out[start]?.startsWith('[')) out[start - 1] = ''
  out.push(ticked ? ' ``' : after)
}
