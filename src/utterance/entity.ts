// Finds the things in a clause that can become arguments: quoted text, addresses, paths, numbers, sums.
import { own } from '../json/value.ts'
import { asValue, mark, trimEnd } from './open-text.ts'
import type { OpenText } from './open-text.ts'
import { wordSet } from './vocabulary.ts'

export interface Entity {
  readonly type: 'quoted' | 'url' | 'setting' | 'glob' | 'path' | 'arithmetic' | 'number'
  readonly value: string
  /** Of a `setting`, its name: `key=value`. */
  readonly key?: string
  readonly start: number
  readonly end: number
}

/** What a clause names, in the order of its text; a later kind never overlaps an earlier one. */
export function findEntities(open: OpenText): readonly Entity[] {
  const { text } = open
  const found: Entity[] = []
  const add = (entity: Omit<Entity, 'end'>, length = entity.value.length): void => {
    const end = entity.start + length
    if (entity.value !== '' && !found.some((other) => entity.start < other.end && other.start < end))
      found.push({ ...entity, end })
  }
  for (const { 0: whole, 1: key = '', 2: value = '', index } of text.matchAll(/(?:^| )([A-Za-z_]\w*)=(\S+)/g))
    add({ type: 'setting', key, value: asValue(open, value), start: index }, whole.length)
  for (const { 0: one, index } of text.matchAll(new RegExp(mark, 'g')))
    add({ type: 'quoted', value: asValue(open, one), start: index }, 1)
  for (const { 0: said, index = 0 } of findSums(text)) {
    const sum = trimEnd(said, ' .+*/(^xX×÷-')
    const value = toSum(sum)
    if (value !== undefined) add({ type: 'arithmetic', value, start: index }, sum.length)
  }
  const [kind = '', word = '', index = 0] = inWords(text)
  if (kind) add({ type: 'glob', value: `**/*.${kind}`, start: index }, word.length)
  for (const { 0: word, index } of text.matchAll(/[^ ,;()"“”`]+/g)) {
    const value = trimEnd(word, '.:!?') || word
    const type = typeOf(value)
    if (type) add({ type, value, start: index })
  }
  for (const { 0: whole, 1: value = '', index } of text.matchAll(/(?:^|[^\w.])(-?\d+(?:\.\d+)?)(?![\w.]*[A-Za-z_])/g))
    add({ type: 'number', value, start: index + whole.length - value.length })
  return found.sort((left, right) => left.start - right.start)
}

function typeOf(word: string): 'url' | 'glob' | 'path' | undefined {
  if (/^https?:\/\/./i.test(word)) return 'url'
  if (/[*?]/.test(word) && /[./\w]/.test(word) && !/^[\d*?]+$/.test(word)) return 'glob'
  return isPath(word) ? 'path' : undefined
}

export function isPath(word: string): boolean {
  if (/^[\d.,/-]+$/.test(word)) return word === '/'
  if (/^\w+@|^(?:and\/or|either\/or|n\/a|w\/o|km\/h|e\.g|i\.e)$/i.test(word)) return false
  return word.includes('/') ? /[\p{L}\p{N}]/u.test(word) : /^\.\w+$|\.[A-Za-z][A-Za-z0-9]{0,9}$/.test(word)
}

const longNames = { markdown: 'md', typescript: 'ts', javascript: 'js', python: 'py', text: 'txt' }
const extensions = wordSet('md ts js tsx jsx py txt json csv html css yml yaml rs go')

/** "md files", "markdown files": the extension, the words, and where they stand. */
function inWords(text: string): [string, string, number] | [] {
  const match = /(?:^| )\.?([a-z]{1,10}) files\b/i.exec(text)
  const word = match?.[1]?.toLowerCase() ?? ''
  const extension = (own(longNames, word) as string | undefined) ?? (extensions.has(word) ? word : undefined)
  if (!match || !extension) return []
  const said = match[0].trim()
  return [extension, said, match.index + match[0].length - said.length]
}

/** Words of sums and their signs. */
const spoken: readonly (readonly [words: string, sign: string])[] = [
  ['plus', '+'],
  ['minus', '-'],
  ['times|multiplied by', '*'],
  ['divided by', '/'],
  ['modulo|mod', '%'],
  ['to the power of', '^'],
  ['squared', '^ 2'],
  ['cubed', '^ 3'],
]

function findSums(text: string): readonly RegExpMatchArray[] {
  const words = spoken.map(([word]) => word).join('|')
  const written = String.raw`[-+(]*\d[\d. ]*(?:[-+*/%^()x×÷\d. ]|\b(?:${words}|percent of|of)\b)+`
  return [...text.matchAll(new RegExp(written, 'gi'))]
}

/** The sum a text says, in the calculator's grammar, or `undefined` where it is none. */
function toSum(text: string): string | undefined {
  if (text.length > 500 || /^\d{4}-\d\d-\d\d$/.test(text)) return undefined
  const plain = text
    .replace(/(\d) ?(?:%|percent) of (?=\d)/gi, '$1 / 100 * ')
    .replace(/(\d) ?[x×] ?(?=\d|\()/gi, '$1 * ')
    .replaceAll('÷', '/')
    .replaceAll('**', '^')
  const value = spoken.reduce((sum, [words, sign]) => sum.replace(new RegExp(`\\b(?:${words})\\b`, 'gi'), sign), plain)
  return /\d\D*[-+*/%^]/.test(value) && isSum(value) ? value : undefined
}

/** Whether a text is arithmetic: put together step by step until one number is left. Signs and brackets may nest. */
function isSum(text: string): boolean {
  let rest = text
    .replace(/\d+\.?\d*|\.\d+/g, '1')
    .replace(/1 +1/g, '?')
    .replaceAll(' ', '')
  for (let before = ''; before !== rest;) {
    before = rest
    rest = rest.replace(/\([-+]*1\)/g, '1').replace(/1[-+*/%^][-+]*1/g, '1')
  }
  return /^[-+]*1$/.test(rest)
}
