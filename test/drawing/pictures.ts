// What tests of drawings share: a strict reader of XML, and plans and workflows to draw.
import type { PlanJson, StepJson } from '../../src/plan/step.ts'
import type { WorkflowJson } from '../../src/workflow/definition.ts'

export interface Tag {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: (Tag | string)[]
}

const token = /<\/([\w-]+)>|<([\w-]+)((?: [\w-]+="[^"<&]*(?:&#\d+;[^"<&]*)*")*)(\/?)>|((?:[^<>&]|&#\d+;)+)/y

const decoded = (text: string): string =>
  text.replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))

/** Throws for whatever is not well-formed, and for more than our drawings need: comments, CDATA, single quotes. */
export function readXml(text: string): Tag {
  if (/[^\t\n\r -\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.test(text)) throw new Error('A character XML does not have')
  const top: Tag = { name: '', attributes: {}, children: [] }
  const open = [top]
  const source = text.trim()
  token.lastIndex = 0
  while (token.lastIndex < source.length) {
    const at = token.lastIndex
    const match = token.exec(source)
    if (!match) throw new Error(`No XML at ${at}: ${source.slice(at, at + 80)}`)
    const [, closed, opened, attributes = '', empty, words] = match
    const here = open.at(-1) as Tag
    if (closed !== undefined && open.pop()?.name !== closed) throw new Error(`</${closed}> closes another`)
    if (words !== undefined) here.children.push(decoded(words))
    if (opened === undefined) continue
    const pairs = [...attributes.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [
      name,
      decoded(value),
    ])
    if (new Set(pairs.map(([name]) => name)).size < pairs.length)
      throw new Error(`Twice the same attribute: ${attributes}`)
    const tag: Tag = { name: opened, attributes: Object.fromEntries(pairs) as Record<string, string>, children: [] }
    here.children.push(tag)
    if (empty === '') open.push(tag)
  }
  const [root] = top.children
  if (open.length !== 1 || top.children.length !== 1 || typeof root !== 'object') throw new Error('Not one element')
  return root
}

export function tags(tag: Tag, name: string): readonly Tag[] {
  const found: Tag[] = []
  const open: (Tag | string)[] = [tag]
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    if (typeof next === 'string') continue
    if (next.name === name) found.push(next)
    open.unshift(...next.children)
  }
  return found
}

export const wordsOf = (tag: Tag): string =>
  tag.children.map((child) => (typeof child === 'string' ? child : wordsOf(child))).join('')

export const classes = (tag: Tag, name: string): readonly string[] =>
  tags(tag, name).map(({ attributes }) => attributes['class'] ?? '')

export const plan = (...steps: readonly (Partial<StepJson> & { readonly id: string })[]): PlanJson => ({
  version: 1,
  steps: steps.map((step) => ({ tool: 'work', ...step })),
})

export const diamond = plan(
  { id: 'fetch', tool: 'http_get' },
  { id: 'parse', input: { html: { $from: 'fetch', path: 'body' } } },
  { id: 'count', input: { words: [{ deep: { $from: 'fetch' } }] }, when: 'fetch.status == 200 and "parse" != null' },
  { id: 'report', forEach: { $from: 'parse' }, after: ['count', 'gone'] },
)

export const refund: WorkflowJson = {
  version: 1,
  name: 'Refund',
  nodes: [
    { id: 'start', type: 'start', next: 'judge' },
    { id: 'judge', type: 'if', condition: 'input.sum > 10', then: 'ask', else: 'pay' },
    { id: 'ask', type: 'approval', message: 'Pay {{ input.sum }}?', next: 'pay', denied: 'done' },
    { id: 'pay', type: 'tool', tool: 'pay', next: 'route', onError: 'wait' },
    { id: 'wait', type: 'wait', ms: 5000, next: 'pay' },
    { id: 'route', type: 'switch', value: 'input.kind', cases: { a: 'all', b: 'each' }, default: 'done' },
    {
      id: 'all',
      type: 'parallel',
      branches: { mail: { type: 'tool', tool: 'mail' }, note: { type: 'agent', agent: 'writer', prompt: 'x' } },
      next: 'done',
    },
    { id: 'each', type: 'map', items: '{{ input.list }}', each: { type: 'model', prompt: 'x' }, next: 'done' },
    { id: 'done', type: 'end' },
  ],
}

export const hostile: readonly string[] = [
  '"]-->x',
  'a[b]{c}(d)|e|',
  '</text></svg><script>alert(1)</script>',
  'click n0 "javascript:alert(1)"',
  '%%{init: {}}%%',
  'a\nb --> c\r\nn0 --> n1',
  `x' onload='alert(1)" onload="alert(1)`,
  '\u202eevil\u0000\ud800\uffff',
  'end',
  '#quot; style a:b #x; &lt; &#60; &amp;',
  '`code` ]]> <!-- -->',
  '__proto__',
  'constructor',
  '💥'.repeat(300),
]
