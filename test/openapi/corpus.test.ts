// Documents of others: each is taken, and each of its tools is one that every provider takes.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { toolRegistry } from '../../src/catalog/tool-registry.ts'
import { openApi } from '../../src/openapi/open-api.ts'
import { jsonSchema } from '../../src/schema/check.ts'
import { own } from '../../src/json/value.ts'
import { noPeer, peer } from '../peers/peers.ts'
import { octokit, readText, readme, suite, yaml } from './documents.ts'
import type { Place } from './documents.ts'

const long = process.env['SAMELOOP_LONG'] === '1'

/** What is wrong with a schema of parameters, by the rules that the providers have together. */
function schemaProblem(schema: Readonly<Record<string, unknown>>): string | undefined {
  if (schema['type'] !== 'object') return 'it is no object'
  const combined = ['oneOf', 'anyOf', 'allOf', 'not', 'enum', '$ref'].find((key) => key in schema)
  if (combined !== undefined) return `it has ${combined} at the top`
  const odd = Object.keys((schema['properties'] ?? {}) as object).find((name) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(name))
  if (odd !== undefined) return `"${odd}" is no name for a property`
  const text = JSON.stringify(schema)
  const lost = Array.from(text.matchAll(/"\$ref":"([^"]*)"/g), ([, found = '']) => found).find(
    (found) => own(schema['$defs'], found.replace(/^#\/\$defs\//, '')) === undefined,
  )
  return lost === undefined ? undefined : `"${lost}" is not in it`
}

interface Counts {
  /** The names of each document's tools, by its label without what says the form it is written in. */
  readonly names: Map<string, readonly string[]>
  documents: number
  tools: number
  problems: number
}

/** Takes documents in, and checks each tool. Throws with the place of the first that is not as it should be. */
async function takeIn(places: readonly Place[], parse?: (text: string) => unknown): Promise<Counts> {
  const counts: Counts = { names: new Map(), documents: 0, tools: 0, problems: 0 }
  for (const place of places) {
    const source = openApi({
      name: 'doc',
      document: readText(place),
      url: 'https://api.example',
      ...(parse && { parse }),
    })
    const registry = toolRegistry().addSource(source)
    await registry.connect()
    const names = registry.definitions().map(({ name }) => name)
    for (const name of names) expect(name, place.label).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
    expect(new Set(names).size, place.label).toBe(names.length)
    for (const { name, inputSchema } of registry.definitions())
      expect(schemaProblem(inputSchema as never), `${place.label} ${name}`).toBeUndefined()
    for (const { name, outputSchema } of await registry.describe())
      expect(() => jsonSchema(outputSchema, { patterns: 'ignore' }), `${place.label} ${name}`).not.toThrow()
    counts.names.set(place.label.replace(/json\/|yaml\/|\.json|\.yaml/g, ''), names)
    counts.documents++
    counts.tools += names.length
    counts.problems += source.problems.length
  }
  return counts
}

const show = (what: string, { documents, tools, problems }: Counts): void =>
  console.log(`${what}: ${documents} documents, ${tools} tools, ${problems} problems`)

describe('a document of the public examples', () => {
  it.skipIf(suite.length === 0)(
    'is taken, with valid names and schemas (skipped where the suites are not)',
    async () => {
      const counts = await takeIn(suite)
      show('learn.openapis.org', counts)
      expect([counts.documents, counts.tools, counts.problems]).toEqual([9, 23, 0])
    },
  )
})

describe('a document of the examples of others', () => {
  it.skipIf(readme.length === 0)(
    `is taken, with valid names and schemas (else ${noPeer('oas-examples')})`,
    async () => {
      const counts = await takeIn(readme)
      show('oas-examples', counts)
      expect(counts.documents).toBeGreaterThan(50)
      expect(counts.problems).toBe(0)
    },
  )

  it.skipIf(yaml.length === 0)(`says the same in YAML, through a parser that is given`, async () => {
    const require = createRequire(join(peer('yaml') ?? '/', 'package.json'))
    const { parse } = require('yaml') as { readonly parse: (text: string) => unknown }
    const counts = await takeIn(yaml, parse)
    show('oas-examples in YAML', counts)
    const json = await takeIn(readme)
    const written = [...counts.names].filter(
      ([label]) => json.names.has(label) && !label.endsWith('circular-request-bodies'),
    )
    expect(written.length).toBeGreaterThan(40)
    for (const [label, names] of written) expect(names, label).toEqual(json.names.get(label))
  })

  const places = octokit.filter(({ label }) => long || label.endsWith('/api.github.com.json'))
  it.skipIf(places.length === 0)(
    `is taken when it is large (else ${noPeer('@octokit/openapi')})`,
    async () => {
      const started = performance.now()
      // Those without references are larger than what is taken from an address, which text is not held to.
      const counts = await takeIn(places)
      show('GitHub', counts)
      console.log(`in ${Math.round(performance.now() - started)} ms`)
      expect(counts.tools).toBeGreaterThan(1000 * places.length)
      expect(counts.problems).toBe(0)
    },
    600_000,
  )
})
