// The guides keep their word: every example type-checks, runs and prints what it says.
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root, run as runProgram, tool } from '../../scripts/project.mjs'
import { examplesOf, kept, paths, promisesOf, run } from './examples.ts'

const folder = join(root, 'docs/guide')
const pages = readdirSync(folder).filter((name) => name.endsWith('.md'))
const textOf = (page: string) => readFileSync(join(folder, page), 'utf8')
const examples = pages.flatMap((page) => examplesOf(page, textOf(page)))

/** What the example printed, where a value that holds is shown as it was promised. */
async function outcome(code: string): Promise<{ readonly promised: object; readonly printed: object }> {
  const promised = promisesOf(code)
  const printed = await run(code)
  const seen = [...promised].map(([line, values]) => [line, kept(values, printed.get(line))] as const)
  return { promised: Object.fromEntries(promised), printed: Object.fromEntries(seen) }
}

describe('an example of a guide', () => {
  it.each(examples.filter(({ runs }) => runs))('prints what it says: $place', async ({ code }) => {
    const { promised, printed } = await outcome(code)
    expect(printed).toEqual(promised)
  })

  it('fits the types of the library', async () => {
    const target = join(root, '.build/guide/types')
    rmSync(target, { recursive: true, force: true })
    mkdirSync(target, { recursive: true })
    for (const { place, code } of examples) writeFileSync(join(target, `${place.replace('.md:', '-')}.ts`), code)
    const options = { paths, lib: ['ES2022', 'DOM'], types: ['node'], isolatedDeclarations: false, declaration: false }
    const config = { extends: '../../../tsconfig.base.json', compilerOptions: options, include: ['.'] }
    writeFileSync(join(target, 'tsconfig.json'), JSON.stringify(config))
    const { output } = await runProgram(process.execPath, [tool('typescript/bin/tsc'), '-p', target, '--noEmit'])
    expect(output).toBe('')
  })

  it('is every block of a page', () => {
    const fences = pages.flatMap((page) => textOf(page).match(/^```/gm) ?? [])
    expect(pages.length).toBeGreaterThan(4)
    expect(examples.length).toBe(fences.length / 2)
  })

  it('says above it why, where it is not run', () => {
    for (const { place, above } of examples.filter(({ runs }) => !runs)) expect(above, place).toMatch(/not run/i)
  })
})

describe('the runner of examples', () => {
  it('finds the blocks of a page with the lines they begin on', () => {
    const page = 'Text\n\n```ts\n1 + 1 // => 2\n```\n\nNot run: x\n\n```ts no-run\nx\n```\n\n```js\n1\n```\n'
    expect(examplesOf('a.md', page)).toEqual([
      { place: 'a.md:4', code: '1 + 1 // => 2\n', runs: true, above: 'Text' },
      { place: 'a.md:10', code: 'x\n', runs: false, above: 'Not run: x' },
    ])
  })

  it('compares each value with what its line printed, in order', async () => {
    const code = [
      'const list = [1, "two"]',
      'list // => [ 1, … ]',
      'for (const one of list) console.log(one)',
      '// => 1',
      '// => two',
      'console.log("a", { b: 1 }) // => a { b: 1 }',
    ].join('\n')
    const { promised, printed } = await outcome(code)
    expect(printed).toEqual(promised)
    expect(Object.keys(promised)).toEqual(['2', '3', '6'])
  })

  it('sees a wrong value, one too many and one too few', async () => {
    const { printed } = await outcome(
      '1 // => 2\nif (0) console.log(1) // => 1\nfor (const n of [1, 2]) console.log(n) // => 1',
    )
    expect(printed).toEqual({ 1: ['1'], 2: [], 3: ['1', '2'] })
  })

  it('fails with what an example throws', async () => {
    await expect(run('throw new Error("it broke")')).rejects.toThrow('it broke')
  })
})
