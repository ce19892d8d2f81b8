// Replaces one exact piece of a text, or each place it is at.
import { SameloopError } from '../error/error.ts'
import { placesOf } from './find.ts'
import { toCrlf, toLf, usesCrlf } from './line.ts'

export interface Replacement {
  /** The exact text; it must be there once, unless `all`. */
  readonly find: string
  readonly replace: string
  readonly all?: boolean | undefined
}

const maxResult = 2 ** 25

/**
 * The text with the replacement made, and at how many places. `vfs-invalid` where `find` is missing or not unique,
 * `vfs-too-large` above 32 Mi characters. A text of "\r\n" lines keeps them.
 */
export function replaceText(before: string, change: Replacement): { readonly text: string; readonly count: number } {
  const crlf = usesCrlf(before)
  const find = crlf ? toCrlf(change.find) : change.find
  const replace = crlf ? toCrlf(change.replace) : change.replace
  if (find === '') throw fault('the text to find is empty')
  if (find === replace) throw fault('the replacement is the same as the text to find')
  // Where only one is meant, places that overlap are two.
  const places = placesOf(before, find, { overlapping: change.all !== true })
  if (places.length === 0) throw fault(`the text to find is not there${missingHint(before, find)}`)
  if (places.length > 1 && change.all !== true) {
    const lines: (number | string)[] = places.slice(0, 5).map((place) => lineAt(before, place))
    if (places.length > 5) lines.push('…')
    throw fault(
      `the text to find is there ${places.length} times (lines ${lines.join(', ')}): add lines around it, or ask for all`,
    )
  }
  if (before.length + places.length * (replace.length - find.length) > maxResult)
    throw fault(`the result would have more than ${maxResult} characters`, 'EFBIG')
  const pieces: string[] = []
  let from = 0
  for (const place of places) {
    pieces.push(before.slice(from, place), replace)
    from = place + find.length
  }
  return { text: pieces.join('') + before.slice(from), count: places.length }
}

/** With all that a file system adds its path to. */
function fault(reason: string, errno: 'EINVAL' | 'EFBIG' = 'EINVAL'): SameloopError {
  const code = errno === 'EINVAL' ? 'vfs-invalid' : 'vfs-too-large'
  return new SameloopError(code, `Cannot edit the text: ${reason}`, { data: { errno, action: 'edit', reason } })
}

function lineAt(text: string, place: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at >= 0 && at < place; at = text.indexOf('\n', at + 1)) line += 1
  return line
}

const collapse = (text: string): string =>
  toLf(text)
    .replace(/[\t ]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .trim()

/** Models mostly miss by white space alone; saying so saves them a turn. */
function missingHint(text: string, find: string): string {
  const wanted = collapse(find)
  return wanted !== '' && placesOf(collapse(text), wanted, { limit: 1 }).length > 0
    ? ', but a text that differs only in white space is'
    : ''
}
