// The head of a Markdown file: the few forms of YAML in which people write a name and a description.

export interface FrontMatter {
  /** The texts at the top level, by key; keys that hold lists or maps are not among them. */
  readonly fields: ReadonlyMap<string, string>
  /** What follows the head. */
  readonly body: string
}

/** Characters of a head; a longer one is broken. */
const longest = 16_384

/**
 * Splits a file whose first line is `---`. Values are plain, quoted, folded (`>`) or literal (`|`) texts, and may go on in
 * lines that are indented. Gives a text where the head is broken: what is wrong with it.
 */
export function frontMatter(file: string): FrontMatter | string {
  const text = file.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n')
  const head = /^---[ \t]*\n(?:([^]*?)\n)?---[ \t]*(?:\n|$)/.exec(text.slice(0, longest))
  if (!head) return text.startsWith('---') ? 'its head does not end with a line "---"' : 'its first line is not "---"'
  const fields = new Map<string, string>()
  for (const { key, lines } of entriesOf((head[1] ?? '').split('\n'))) {
    if (fields.has(key)) return `it says "${key}" twice`
    const value = valueOf(lines)
    if (value !== undefined) fields.set(key, value)
  }
  return { fields, body: text.slice(head[0].length) }
}

interface Entry {
  readonly key: string
  /** What stands behind the colon, and the indented lines below. */
  readonly lines: readonly string[]
}

/** The keys at the left edge, each with its lines. */
function entriesOf(lines: readonly string[]): readonly Entry[] {
  const entries: { key: string; lines: string[] }[] = []
  for (const line of lines) {
    const [, key, rest = ''] = /^([A-Za-z][\w-]{0,63}):(?:[ \t]+(.*)|$)/.exec(line) ?? []
    if (key !== undefined) entries.push({ key, lines: [rest] })
    else if (line === '' || /^[ \t]/.test(line)) entries.at(-1)?.lines.push(line)
  }
  return entries
}

/** The text of a value, or `undefined` for a list, a map, an alias, a tag. */
function valueOf([first = '', ...rest]: readonly string[]): string | undefined {
  const start = first.trim()
  const block = /^([|>])[-+\d]{0,2}(?:[ \t]+#.*)?$/.exec(start)
  if (block) return block[1] === '|' ? literal(rest) : folded(rest)
  const whole = folded([start, ...rest])
  if (/^["']/.test(start)) return unquoted(whole)
  // A map has its first key on a line below.
  if (start === '' && rest.some((line) => /^\s*(?:-\s|[\w-]+:(?:\s|$))/.test(line))) return undefined
  if (/^[[{&*!%@`]/.test(start)) return undefined
  return whole.replace(/(?:^|\s)#.*$/, '').trim()
}

/** Lines as one, an empty line as a line break. */
const folded = (lines: readonly string[]): string =>
  lines
    .map((line) => line.trim())
    .join('\n')
    .trim()
    .replace(/\n(\n*)/g, (_, more: string) => more || ' ')

function literal(lines: readonly string[]): string {
  const indents = lines.filter((line) => line.trim() !== '').map((line) => /^[ \t]*/.exec(line)![0].length)
  const indent = indents.length === 0 ? 0 : indents.reduce((least, one) => Math.min(least, one))
  return lines
    .map((line) => line.slice(indent))
    .join('\n')
    .trim()
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
])

function unquoted(text: string): string | undefined {
  const [, single, double] = /^(?:'((?:[^']|'')*)'|"((?:[^"\\]|\\.)*)")(?:\s+#.*)?$/.exec(text) ?? []
  if (single !== undefined) return single.replaceAll("''", "'")
  return double?.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/g, (_, code: string | undefined, letter: string) =>
    code === undefined ? (escapes.get(letter) ?? letter) : String.fromCharCode(parseInt(code, 16)),
  )
}
