// Finds the things in a clause that can become arguments: quoted text, addresses, paths, numbers, sums.

export interface Entity {
  readonly type: 'quoted' | 'url' | 'setting' | 'glob' | 'path' | 'arithmetic' | 'number'
  readonly value: string
  /** Of a `setting`, its name: `key=value`. */
  readonly key?: string
  readonly start: number
  readonly end: number
}

const extensions = /\.[A-Za-z][A-Za-z0-9]{0,9}$/
const kinds: ReadonlyMap<string, string> = new Map([
  ['markdown', 'md'],
  ['typescript', 'ts'],
  ['javascript', 'js'],
  ['python', 'py'],
  ['text', 'txt'],
])

export interface Span {
  readonly value: string
  readonly start: number
  readonly end: number
}

/** The quoted spans of a text; the mark must open a word, so that an apostrophe is none. */
export function quotedSpans(text: string): readonly Span[] {
  const pattern = /(^|[^\p{L}\p{N}])(?:"([^"]*)"|“([^”]*)”|`([^`]*)`|'([^']*)'(?![\p{L}\p{N}]))/gu
  return [...text.matchAll(pattern)].map((match) => {
    const start = match.index + (match[1] ?? '').length
    return { value: match[2] ?? match[3] ?? match[4] ?? match[5] ?? '', start, end: match.index + match[0].length }
  })
}

/** What a clause names, in the order of its text; a later kind never overlaps an earlier one. */
export function findEntities(clause: string): readonly Entity[] {
  const found: Entity[] = []
  const add = (entity: Entity): void => {
    if (entity.value !== '' && !found.some((other) => entity.start < other.end && other.start < entity.end))
      found.push(entity)
  }
  for (const match of clause.matchAll(/(?:^|\s)([A-Za-z_]\w*)=("[^"]*"|'[^']*'|[^\s"']\S*)/g)) {
    const [whole, key = '', value = ''] = match
    const text = value.replace(/^(["'])(.*)\1$/, '$2')
    add({ type: 'setting', key, value: text, start: match.index, end: match.index + whole.length })
  }
  for (const span of quotedSpans(clause)) add({ type: 'quoted', ...span })
  addSums(clause, add)
  addKinds(clause, add)
  for (const match of clause.matchAll(/[^\s,;()"“”`]+/g)) addWord(match[0], match.index, add)
  for (const match of clause.matchAll(/(^|[^\w.])(-?\d+(?:\.\d+)?)(?![\w.]*[A-Za-z_])/g)) {
    const value = match[2] ?? ''
    const end = match.index + match[0].length
    add({ type: 'number', value, start: end - value.length, end })
  }
  return found.sort((left, right) => left.start - right.start)
}

function addWord(raw: string, start: number, add: (entity: Entity) => void): void {
  const value = raw.replace(/[.:!?]+$/, '') || raw
  const end = start + value.length
  if (/^https?:\/\/\S/i.test(value)) add({ type: 'url', value, start, end })
  else if (/[*?]/.test(value) && /[./\w]/.test(value) && !/^[\d*?]+$/.test(value))
    add({ type: 'glob', value, start, end })
  else if (isPath(value)) add({ type: 'path', value, start, end })
}

export function isPath(value: string): boolean {
  if (/\s/.test(value) || /^[\d.,/-]+$/.test(value) || /^\w+@/.test(value)) return false
  if (/^(?:and\/or|either\/or|n\/a|w\/o|km\/h|e\.g|i\.e)$/i.test(value)) return false
  return value.includes('/')
    ? /[\p{L}\p{N}]/u.test(value) || value === '/'
    : extensions.test(value) || /^\.\w+$/.test(value)
}

/** "md files", "markdown files": a glob said in words. */
function addKinds(clause: string, add: (entity: Entity) => void): void {
  const match = /(?:^|\s)\.?([a-z]{1,10}) files\b/i.exec(clause)
  const word = match?.[1]?.toLowerCase() ?? ''
  const extension =
    kinds.get(word) ?? (/^(?:md|ts|js|tsx|jsx|py|txt|json|csv|html|css|ya?ml|rs|go)$/.test(word) ? word : undefined)
  if (match && extension !== undefined) {
    const end = match.index + match[0].length
    add({ type: 'glob', value: `**/*.${extension}`, start: match.index + (/^\s/.test(match[0]) ? 1 : 0), end })
  }
}

const spoken: readonly (readonly [RegExp, string])[] = [
  [/(\d+(?:\.\d+)?)\s*(?:%|percent)\s+of\s+(\d+(?:\.\d+)?)/gi, '$1 / 100 * $2'],
  [/\bplus\b/gi, '+'],
  [/\bminus\b/gi, '-'],
  [/\b(?:times|multiplied by)\b/gi, '*'],
  [/\bdivided by\b|÷/gi, '/'],
  [/\b(?:mod|modulo)\b/gi, '%'],
  [/\bto the power of\b/gi, '^'],
  [/\bsquared\b/gi, '^ 2'],
  [/\bcubed\b/gi, '^ 3'],
  [/(\d)\s*[x×]\s*(?=\d|\()/g, '$1 * '],
  [/\*\*/g, '^'],
]

/** The sum a text says, in the calculator's grammar. */
function addSums(clause: string, add: (entity: Entity) => void): void {
  const written = new RegExp(
    String.raw`[-+(]*\d[\d.\s]*(?:[-+*/%^()x×÷\d.\s]|\b(?:plus|minus|times|multiplied by|divided by|modulo|mod|` +
      String.raw`to the power of|squared|cubed|percent of|of)\b)+`,
    'gi',
  )
  for (const match of clause.matchAll(written)) {
    const text = match[0].replace(/[\s.+*/(^x×÷-]+$/i, '')
    const value = spoken
      .reduce((sum, [pattern, sign]) => sum.replace(pattern, sign), text)
      .replace(/\s+/g, ' ')
      .trim()
    const isDate = /^\d{4}-\d\d-\d\d$/.test(value)
    if (value.length <= 500 && /\d\D*[-+*/%^]/.test(value) && /[-+*/%^].*\d/.test(value) && !isDate && isSum(value)) {
      add({ type: 'arithmetic', value, start: match.index, end: match.index + text.length })
    }
  }
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
