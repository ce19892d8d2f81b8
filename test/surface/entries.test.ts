// Pins: which entry points there are, what each gives, and that package.json and deno.json say the same.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { assets, denoExports, entries, packageExports } from '../../scripts/entries.mjs'
import { entryNames } from './source.ts'

const json = (path: string): { readonly exports: unknown } =>
  JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'))

describe('entry points', () => {
  it('are those of package.json (npm run exports writes them)', () => {
    expect(json('package.json').exports).toEqual(packageExports())
  })
  it('are those of deno.json', () => {
    expect(json('deno.json').exports).toEqual(denoExports())
  })
  it('have one version in package.json and deno.json', () => {
    expect(json('deno.json')).toMatchObject({
      version: (json('package.json') as unknown as { version: string }).version,
    })
  })
  it('have types and default and no other condition', () => {
    for (const [key, conditions] of Object.entries(packageExports()))
      if (!Object.hasOwn(assets, key)) expect(Object.keys(conditions)).toEqual(['types', 'default'])
  })
  it('give exactly these names', async () => {
    const names = Object.fromEntries(entries().map(({ key, source }) => [key, entryNames(source)]))
    await expect(`${JSON.stringify(names, null, 2)}\n`).toMatchFileSnapshot('names.json')
  })
})

describe('a built entry point', () => {
  it.each(entries().filter(({ source }) => source.startsWith('src/')))(
    '$key gives the values its source names',
    async ({ source, output }) => {
      const built = await import(/* @vite-ignore */ new URL(`../../${output}`, import.meta.url).href)
      expect(Object.keys(built).sort()).toEqual(entryNames(source).values)
    },
  )
})
