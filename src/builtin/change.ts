// A planned change as people see it: before they decide, and beside the result.
import { countChanges, diff } from '../diff/diff.ts'
import type { Change } from '../edit/change.ts'
import type { Preview } from '../message/decision.ts'
import type { Json } from '../json/value.ts'
import { cut } from '../json/text.ts'

/** Characters of a diff that are kept for people. */
const maxDiff = 20_000

interface Shape {
  readonly text: string
  readonly added: number
  readonly removed: number
}

function shapeOf({ path, before, after }: Change): Shape {
  const whole = diff(before ?? '', after, { from: before === undefined ? '/dev/null' : `a${path}`, to: `b${path}` })
  const text =
    whole.length > maxDiff
      ? `${cut(whole, maxDiff)}\n[the diff is cut: ${maxDiff} of its ${whole.length} characters are shown]\n`
      : whole
  return { text, ...countChanges(whole) }
}

/** For people, beside the result. */
export function changeDetails(change: Change): Json {
  const { text, ...counts } = shapeOf(change)
  return { path: change.path, diff: text, ...counts }
}

/** For the person who decides. */
export function changePreview(summary: string, change: Change): Preview {
  const { text, added, removed } = shapeOf(change)
  const kind = change.before === undefined ? ', a new file' : ''
  return { summary: `${summary}${kind} (+${added} -${removed} lines)`, diff: text }
}
