// The difference between two texts as a unified diff, by Myers' algorithm.
import { amounts } from '../error/amount.ts'
import { splitLines } from './line.ts'

export interface DiffOptions {
  /** Lines around a change. Default 3. */
  readonly context?: number | undefined
  /** For the headers. Default "a" and "b". */
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/** Above this many added and removed lines, what lies between the common ends is shown as replaced whole. */
const maxDistance = 1000

type Change = readonly [kind: ' ' | '-' | '+', line: string]

/** A unified diff that `applyPatch` takes; empty where the texts are the same. */
export function diff(before: string, after: string, options: DiffOptions = {}): string {
  if (before === after) return ''
  const { from = 'a', to = 'b' } = options
  const { context } = amounts(options, { context: 3 })
  const changes = compare(splitLines(before), splitLines(after))
  const out = [`--- ${headerName(from)}\n`, `+++ ${headerName(to)}\n`]
  let [oldLine, newLine, index] = [1, 1, 0]
  while (index < changes.length) {
    const [start, end] = nextHunk(changes, index, context)
    oldLine += start - index
    newLine += start - index
    const hunk = changes.slice(start, end)
    const olds = hunk.filter(([kind]) => kind !== '+').length
    const news = hunk.filter(([kind]) => kind !== '-').length
    if (hunk.length > 0) out.push(`@@ -${range(oldLine, olds)} +${range(newLine, news)} @@\n`)
    for (const [kind, line] of hunk)
      out.push(line.endsWith('\n') ? kind + line : `${kind}${line}\n\\ No newline at end of file\n`)
    oldLine += olds
    newLine += news
    index = end
  }
  return out.join('')
}

/** How many lines a unified diff adds and removes. */
export function countChanges(patch: string): { readonly added: number; readonly removed: number } {
  const lines = patch.split('\n').filter((line, index) => index > 1 && /^[+-]/.test(line))
  const added = lines.filter((line) => line.startsWith('+')).length
  return { added, removed: lines.length - added }
}

const headerName = (name: string): string => (/[\n\r\t"]/.test(name) ? JSON.stringify(name) : name)

const range = (line: number, count: number): string => {
  const first = count === 0 ? line - 1 : line
  return count === 1 ? `${first}` : `${first},${count}`
}

/** Where the next hunk begins and ends: changes with at most twice `context` equal lines between them are one. */
function nextHunk(changes: readonly Change[], from: number, context: number): readonly [start: number, end: number] {
  let first = from
  while (first < changes.length && changes[first]![0] === ' ') first += 1
  if (first === changes.length) return [first, first]
  let last = first
  for (let index = first; index < changes.length && index - last <= 2 * context + 1; index += 1) {
    if (changes[index]![0] !== ' ') last = index
  }
  return [Math.max(from, first - context), Math.min(changes.length, last + 1 + context)]
}

function compare(old: readonly string[], young: readonly string[]): Change[] {
  let head = 0
  while (head < old.length && head < young.length && old[head] === young[head]) head += 1
  let [oldEnd, youngEnd] = [old.length, young.length]
  while (oldEnd > head && youngEnd > head && old[oldEnd - 1] === young[youngEnd - 1]) {
    oldEnd -= 1
    youngEnd -= 1
  }
  const same = (line: string): Change => [' ', line]
  const middle = shortest(old.slice(head, oldEnd), young.slice(head, youngEnd))
  return [...old.slice(0, head).map(same), ...middle, ...old.slice(oldEnd).map(same)]
}

/** Myers 1986: the furthest place on each diagonal for a growing number of changes, then the way back. */
function shortest(old: readonly string[], young: readonly string[]): Change[] {
  const most = Math.min(old.length + young.length, maxDistance)
  const furthest = new Int32Array(2 * most + 3)
  const middle = most + 1
  const trace: Int32Array[] = []
  for (let distance = 0; distance <= most; distance += 1) {
    trace.push(furthest.slice(middle - distance - 1, middle + distance + 2))
    for (let diagonal = -distance; diagonal <= distance; diagonal += 2) {
      const down = furthest[middle + diagonal + 1]!
      const right = furthest[middle + diagonal - 1]! + 1
      let x = diagonal === -distance || (diagonal !== distance && down >= right) ? down : right
      while (x < old.length && x - diagonal < young.length && old[x] === young[x - diagonal]) x += 1
      furthest[middle + diagonal] = x
      if (x >= old.length && x - diagonal >= young.length) return walkBack(old, young, trace)
    }
  }
  return [...old.map((line): Change => ['-', line]), ...young.map((line): Change => ['+', line])]
}

function walkBack(old: readonly string[], young: readonly string[], trace: readonly Int32Array[]): Change[] {
  const changes: Change[] = []
  let [x, y] = [old.length, young.length]
  for (let distance = trace.length - 1; distance > 0; distance -= 1) {
    const reached = trace[distance]!
    const at = distance + 1 + x - y
    const fromAbove = x - y === -distance || (x - y !== distance && reached[at + 1]! > reached[at - 1]!)
    const previousX = reached[fromAbove ? at + 1 : at - 1]!
    while (x > (fromAbove ? previousX : previousX + 1)) {
      changes.push([' ', old[(x -= 1)]!])
      y -= 1
    }
    if (fromAbove) changes.push(['+', young[(y -= 1)]!])
    else changes.push(['-', old[(x -= 1)]!])
  }
  while (x > 0) changes.push([' ', old[(x -= 1)]!])
  return changes.reverse()
}
