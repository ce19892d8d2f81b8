// Every entry point has a budget in bytes, minified and gzipped: it is today's size, and grows only with a feature that is worth it.
import { describe, expect, it } from 'vitest'
import { entries } from '../../scripts/entries.mjs'
import { bundle } from './bundles.ts'
import { entryNames } from './source.ts'

const kib = 1024

/** Which names of which entry points. */
type Uses = Readonly<Record<string, readonly string[]>>

const core: Uses = { '.': ['agent', 'tool', 'ok', 'fail', 'fatal', 'isSameloopError'] }
const schema = `import * as v from 'valibot'; export const place = v.object({ city: v.string(), days: v.optional(v.number()) })`

/** What a user's program imports, the most it may cost (today's size), and the aim: docs/decisions/015-sizes.md. */
const programs: readonly {
  readonly what: string
  readonly uses: Uses
  readonly limit: number
  readonly aim: number
  readonly code?: string
}[] = [
  { what: 'the core', uses: core, limit: 24.4, aim: 14 },
  { what: 'the core with openaiChat', uses: { ...core, './openai': ['openaiChat'] }, limit: 31, aim: 17.5 },
  { what: 'the core with openaiResponses', uses: { ...core, './openai': ['openaiResponses'] }, limit: 20, aim: 20 },
  { what: 'the core with anthropic', uses: { ...core, './anthropic': ['anthropic'] }, limit: 31.4, aim: 20 },
  { what: 'the core with gemini', uses: { ...core, './gemini': ['gemini'] }, limit: 20, aim: 20 },
  {
    what: 'an agent with openaiChat, valibot and a schema',
    uses: { '.': ['agent'], './openai': ['openaiChat'], './valibot': ['tool'] },
    limit: 35.8,
    aim: 22,
    code: schema,
  },
]

/** Whole entry points, without the packages they import; those that are not named here have `otherwise`. */
const wholes: Readonly<Record<string, number>> = {
  '.': 24.4,
  './drawing': 14.6,
  // Recovery, replay and the run machine are in it.
  './journal': 25.8,
  './local': 13.6,
  // What asks people and models for a server, and JSON Schema's part of ours, are in it.
  './mcp': 19.5,
  // What REST servers send with, and the check of raw JSON Schema, are in it.
  './openapi': 22.9,
  // The run machine is in it.
  './plan': 33.2,
  // Whom a call by code asks, how it ends and what wraps it are in it.
  './registry': 13.2,
  // Scenarios of everything, and what they test, are in it.
  './testing': 213,
  // The guard of `http_request` against addresses inside is in it.
  './tools': 26.2,
  // The secrets of a search engine are kept as those of any server.
  './tools/web': 17.8,
  // Whoever imports one wrapper pays for that one.
  './vfs': 21.3,
  // Agents and plans are in it.
  './workflow': 53.9,
}
const otherwise = 12

const points = entries()
const sourceOf = (key: string): string | undefined => points.find((point) => point.key === key)?.source
const specifier = (key: string): string => `sameloop${key.slice(1)}`

const exists = (uses: Uses): boolean =>
  Object.entries(uses).every(([key, names]) => {
    const source = sourceOf(key)
    return source !== undefined && names.every((name) => entryNames(source).values.includes(name))
  })

const programOf = (uses: Uses, code = ''): string =>
  Object.entries(uses)
    .map(([key, names]) => `export { ${names.join(', ')} } from '${specifier(key)}'`)
    .concat(code)
    .join('\n')

function hold(what: string, bytes: number, { limit, aim = limit }: { limit: number; aim?: number }): void {
  console.log(`${what}: ${(bytes / kib).toFixed(2)} KiB of ${limit}${aim < limit ? `, aim ${aim}: not reached` : ''}`)
  expect(bytes).toBeLessThanOrEqual(limit * kib)
}

describe('a program', () => {
  for (const { what, uses, limit, aim, code } of programs) {
    const why = exists(uses) ? '' : ' (left out: not all of it is there yet)'
    it.skipIf(why !== '')(`with ${what} keeps to its budget${why}`, async () => {
      const { gzipBytes } = await bundle(programOf(uses, code))
      hold(what, gzipBytes, { limit, aim })
    })
  }
})

describe('the web tools', () => {
  it('keep to their budget with what they take of their parser', async () => {
    const { gzipBytes, metafile } = await bundle(`export { webTools } from 'sameloop/tools/web'`)
    // The parser brings a document tree along, which nobody here wants.
    const used = Object.entries(Object.values(metafile.outputs)[0]?.inputs ?? {}).filter(
      ([, part]) => part.bytesInOutput,
    )
    const packages = used.flatMap(([path]) => /node_modules\/([^/]+)/.exec(path)?.[1] ?? [])
    expect([...new Set(packages)].sort()).toEqual(['entities', 'htmlparser2'])
    hold('the web tools with their parser', gzipBytes, { limit: 36.5 })
  })
})

describe('files', () => {
  it('in memory, with an overlay, keep to their budget over the core', async () => {
    const files = { './vfs': ['memoryFiles', 'cow'] }
    const [alone, both] = [await bundle(programOf(core)), await bundle(programOf({ ...core, ...files }))]
    hold('memory and copy-on-write over the core', both.gzipBytes - alone.gzipBytes, {
      limit: 5.7,
      aim: 3000 / kib,
    })
  })
})

describe('an MCP server', () => {
  it('keeps to its budget over the core and JSON Schema', async () => {
    const under = { ...core, './json-schema': ['jsonSchema'] }
    const whole = { ...under, './mcp': ['mcpServer'] }
    const [alone, both] = [await bundle(programOf(under)), await bundle(programOf(whole))]
    hold('mcpServer over the core and JSON Schema', both.gzipBytes - alone.gzipBytes, { limit: 11.8, aim: 6 })
  })
})

describe('an OpenAPI source', () => {
  it('keeps to its budget over a program that has REST servers and raw JSON Schema', async () => {
    const shared = { ...core, './rest': ['restServer'], './json-schema': ['jsonSchema'] }
    const [alone, both] = [
      await bundle(programOf(shared)),
      await bundle(programOf({ ...shared, './openapi': ['openApi'] })),
    ]
    hold('an OpenAPI source over the core, REST and JSON Schema', both.gzipBytes - alone.gzipBytes, {
      limit: 10.8,
      aim: 6,
    })
  })
})

describe('an entry point of the core', () => {
  it.each(points.filter(({ source }) => source.startsWith('src/')))('$key keeps to its budget', async ({ key }) => {
    const packages = ['valibot', '@valibot/to-json-schema', '@cfworker/json-schema', 'jmespath', 'htmlparser2']
    const { gzipBytes } = await bundle(`export * from '${specifier(key)}'`, packages)
    hold(key, gzipBytes, { limit: wholes[key] ?? otherwise })
  })
})
