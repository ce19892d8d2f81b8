// Applies a unified diff to one text. Line numbers are a hint, the lines themselves must match.
import { SameloopError } from '../error/error.ts'
import { cut } from '../json/text.ts'
import { placesOf } from './find.ts'
import { splitLines, toCrlf, toLf, usesCrlf } from './line.ts'

interface Hunk {
  readonly title: string
  /** The first old line, from 1; `undefined` where the header has no numbers. */
  readonly line: number | undefined
  readonly old: string[]
  readonly young: string[]
  readonly noEnd: { old: boolean; young: boolean }
}

const maxPatch = 2 ** 22
const maxHunks = 1000
/** Characters looked through for hunks that are not at their line numbers, over the whole patch. */
const maxSearched = 2 ** 28

/**
 * The text after a patch of one file. A hunk whose lines are not at its line number is taken where they are, if that is
 * one place only. `vfs-invalid` names the hunk that does not fit; then nothing is applied. "\r\n" texts keep their ends.
 */
export function applyPatch(before: string, patch: string): string {
  if (patch.length > maxPatch) throw patchFault('the patch', `it may have ${maxPatch} characters at most`)
  if (usesCrlf(before)) return toCrlf(applyPatch(toLf(before), toLf(patch)))
  // A mixed or "\n" file gets the patch as it stands, unless the patch alone came with "\r\n".
  const hunks = parseHunks(splitLines(usesCrlf(patch) && !before.includes('\r') ? toLf(patch) : patch))
  const lines = splitLines(before)
  const bares = lines.map(bare)
  let searched = 0
  const search: Search = (wanted, after) => {
    if ((searched += before.length) > maxSearched)
      throw patchFault('the patch', 'too many of its hunks are not at their line numbers')
    return placesOf(bares, wanted, { from: after, limit: 3, overlapping: true })
  }
  const out: string[] = []
  let from = 0
  let drift = 0
  for (const [index, hunk] of hunks.entries()) {
    const at = placeOf(hunk, bares, { from, drift, number: index + 1, search })
    if (hunk.line !== undefined) drift = at + 1 - hunk.line
    for (const line of lines.slice(from, at)) out.push(line)
    const matched = lines.slice(at, at + hunk.old.length)
    for (const line of merged(hunk, matched, { atEnd: at + hunk.old.length >= lines.length })) out.push(line)
    from = at + hunk.old.length
  }
  for (const line of lines.slice(from)) out.push(line)
  return closed(out).join('')
}

function patchFault(what: string, reason: string, hunk?: number): SameloopError {
  const data = hunk === undefined ? { errno: 'EINVAL' } : { errno: 'EINVAL', hunk }
  return new SameloopError('vfs-invalid', `Cannot apply ${what}: ${reason}`, { data })
}

const bare = (line: string): string => (line.endsWith('\n') ? line.slice(0, -1) : line)

/** Only the last line may lack its end; one that was last and no longer is gets it. */
function closed(lines: readonly string[]): string[] {
  return lines.map((line, index) => (index < lines.length - 1 && !line.endsWith('\n') ? `${line}\n` : line))
}

/** The new lines of a hunk. Where it reaches the end of the file, its own marker says whether the last line is closed. */
function merged(hunk: Hunk, matched: readonly string[], { atEnd }: { readonly atEnd: boolean }): string[] {
  const young = hunk.young.map((line) => `${line}\n`)
  const end = young.length - 1
  if (!atEnd || end < 0) return young
  const kept = matched.at(-1)
  const unchanged = kept !== undefined && !kept.endsWith('\n') && !hunk.noEnd.old && bare(kept) === hunk.young[end]
  if (hunk.noEnd.young || unchanged) young[end] = bare(young[end]!)
  return young
}

function parseHunks(lines: readonly string[]): Hunk[] {
  const hunks: Hunk[] = []
  let index = lines.findIndex((line) => line.startsWith('@@'))
  if (index < 0) throw patchFault('the patch', 'it has no hunk, which starts with "@@ -line,count +line,count @@"')
  while (index < lines.length) {
    if (hunks.length >= maxHunks) throw patchFault('the patch', `at most ${maxHunks} hunks are allowed`)
    const parsed = parseHunk(lines, index, hunks.length + 1)
    hunks.push(parsed.hunk)
    index = parsed.next
  }
  return hunks
}

const header = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+\d{1,9}(?:,(\d{1,9}))? @@/

function parseHunk(
  lines: readonly string[],
  start: number,
  number: number,
): { readonly hunk: Hunk; readonly next: number } {
  const title = cut(bare(lines[start]!), 60)
  const match = header.exec(title)
  const line = match === null ? undefined : Number(match[1]) + (match[2] === '0' ? 1 : 0)
  const [olds, news] = match === null ? [0, 0] : [Number(match[2] ?? 1), Number(match[3] ?? 1)]
  const hunk: Hunk = { title, line, old: [], young: [], noEnd: { old: false, young: false } }
  let kind = ''
  let next = start + 1
  for (; next < lines.length; next += 1) {
    const text = bare(lines[next]!)
    const full = hunk.old.length >= olds && hunk.young.length >= news
    if (text.startsWith('@@') || (full && text === '')) {
      if (text !== '') break
      continue
    }
    if (full && startsFile(lines, next))
      throw patchFault('the patch', 'it changes several files: give one patch for each')
    if (text.startsWith('\\')) {
      if (kind !== '+') hunk.noEnd.old = true
      if (kind !== '-') hunk.noEnd.young = true
      continue
    }
    kind = text === '' ? ' ' : text[0]!
    if (kind !== ' ' && kind !== '-' && kind !== '+')
      throw patchFault(
        `hunk ${number} (${title})`,
        `its line ${next - start} starts with neither " ", "-" nor "+"`,
        number,
      )
    if (kind !== '+') hunk.noEnd.old = !hunk.old.push(text.slice(1))
    if (kind !== '-') hunk.noEnd.young = !hunk.young.push(text.slice(1))
  }
  return { hunk, next }
}

const startsFile = (lines: readonly string[], at: number): boolean =>
  lines[at]!.startsWith('diff ') ||
  (lines[at]!.startsWith('--- ') &&
    lines[at + 1]?.startsWith('+++ ') === true &&
    lines[at + 2]?.startsWith('@@') === true)

interface Place {
  /** Lines before this are used up by earlier hunks. */
  readonly from: number
  /** How far the last hunk was from its number. */
  readonly drift: number
  readonly number: number
  readonly search: Search
}

/** Up to three places of these lines, at or after one. */
type Search = (wanted: readonly string[], after: number) => readonly number[]

/** The index of the hunk's first old line. */
function placeOf(hunk: Hunk, lines: readonly string[], { from, drift, number, search }: Place): number {
  const name = `hunk ${number} (${hunk.title})`
  const fits = (at: number): boolean => hunk.old.every((line, index) => lines[at + index] === line)
  if (hunk.old.length === 0) {
    const at = lines.length === 0 ? 0 : (hunk.line ?? 0) - 1 + drift
    if (at >= from && at <= lines.length) return at
    throw patchFault(name, 'it only adds lines, and its line number is not in the file: add a line of context', number)
  }
  for (const at of hunk.line === undefined ? [] : [hunk.line - 1 + drift, hunk.line - 1]) {
    if (at >= from && fits(at)) return at
  }
  const places = search(hunk.old, from)
  if (places.length === 1) return places[0]!
  const found = places.map((at) => at + 1).join(', ')
  const reason =
    places.length === 0
      ? missing(hunk, lines)
      : `its lines fit at several places (lines ${found}, …): give more context`
  throw patchFault(name, reason, number)
}

function missing(hunk: Hunk, lines: readonly string[]): string {
  if (hunk.line === undefined) return 'its old lines are not in the file'
  const shown = (line: string | undefined): string =>
    line === undefined ? 'the end of the file' : JSON.stringify(cut(line, 120))
  const start = hunk.line - 1
  const wrong = Math.max(
    0,
    hunk.old.findIndex((line, index) => lines[start + index] !== line),
  )
  return `line ${start + wrong + 1} is ${shown(lines[start + wrong])}, the hunk has ${shown(hunk.old[wrong])}`
}
