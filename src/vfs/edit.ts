// Replaces one exact piece of a text file.
import { vfsError } from './error.ts'
import { toCrlf, toLf, usesCrlf } from './line.ts'
import { normalizePath } from './path.ts'
import { readText, writeText } from './text.ts'
import type { Vfs, VfsOperation, VfsStat } from './vfs.ts'

export interface Replacement {
  /** The exact text; it must be there once, unless `all`. */
  readonly find: string
  readonly replace: string
  readonly all?: boolean | undefined
}

export interface EditResult {
  readonly before: string
  readonly after: string
  /** How many places changed. */
  readonly count: number
  readonly stat: VfsStat
}

const maxResult = 2 ** 25

/**
 * Replaces `find` in the file. `vfs-invalid` where it is missing or not unique; `vfs-conflict` where the file is not at
 * `etag`, or changes in the meantime and the file system can tell. A file of "\r\n" lines keeps them.
 */
export async function edit(
  vfs: Vfs,
  path: string,
  options: Replacement & VfsOperation & { readonly etag?: string | undefined },
): Promise<EditResult> {
  const { etag, signal } = options
  const at = normalizePath(path)
  const seen = await vfs.stat(at, { signal })
  if (etag !== undefined && seen?.etag !== etag) throw vfsError('ECONFLICT', at, { action: 'edit' })
  const before = await readText(vfs, at, { signal })
  const { text: after, count } = replaceText(before, options, at)
  const ifMatch = vfs.capabilities.cas ? seen?.etag : undefined
  return { before, after, count, stat: await writeText(vfs, at, after, { ifMatch, signal }) }
}

/** The text with the replacement made; `path` is for the error. */
export function replaceText(
  before: string,
  change: Replacement,
  path: string,
): { readonly text: string; readonly count: number } {
  const fault = (reason: string): Error => vfsError('EINVAL', path, { action: 'edit', reason })
  const crlf = usesCrlf(before)
  const find = crlf ? toCrlf(change.find) : change.find
  const replace = crlf ? toCrlf(change.replace) : change.replace
  if (find === '') throw fault('the text to find is empty')
  if (find === replace) throw fault('the replacement is the same as the text to find')
  const places = placesOf(before, find)
  if (places.length === 0) throw fault(`the text to find is not there${missingHint(before, find)}`)
  if (places.length > 1 && change.all !== true) {
    const lines = places
      .slice(0, 5)
      .map((place) => lineAt(before, place))
      .join(', ')
    const more = places.length > 5 ? ', …' : ''
    throw fault(
      `the text to find is there ${places.length} times (lines ${lines}${more}): add lines around it, or ask for all`,
    )
  }
  if (before.length + places.length * (replace.length - find.length) > maxResult) {
    throw vfsError('EFBIG', path, { action: 'edit', reason: `the result would have more than ${maxResult} characters` })
  }
  const pieces: string[] = []
  let from = 0
  for (const place of places) {
    pieces.push(before.slice(from, place), replace)
    from = place + find.length
  }
  return { text: pieces.join('') + before.slice(from), count: places.length }
}

function placesOf(text: string, find: string): number[] {
  const places: number[] = []
  for (let at = text.indexOf(find); at >= 0; at = text.indexOf(find, at + find.length)) places.push(at)
  return places
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
  return wanted !== '' && collapse(text).includes(wanted) ? ', but a text that differs only in white space is' : ''
}
