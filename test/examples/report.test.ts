// The first example runs as it stands, shows each step, and notices when something is not as it should be.
import { mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runExample } from '../../scripts/example.mjs'
import { root } from '../../scripts/project.mjs'

const file = 'examples/report/report.ts'
const report = '# Report\n\nSales are up; three customers wait.\n\nFrom 2 documents.\n'
const folder = join(root, '.build/examples/temporary')
const env = { TMPDIR: folder, TEMP: folder }

beforeAll(() => void mkdirSync(folder, { recursive: true }))
afterAll(() => rmSync(folder, { recursive: true }))

describe('the report', () => {
  it('is written, with every step and a picture of the way', async () => {
    const { code, output } = await runExample(file, { env })
    expect([code, output.slice(-report.length - 1)]).toEqual([0, `${report}\n`])
    expect(output.split('\n').slice(0, 9)).toEqual([
      'start: ok',
      'fetched: ok',
      'merged: ok',
      'summary: ok',
      'Write "Sales are up; three customers wait."? Yes.',
      'asked: ok',
      'written: ok',
      'end: ok',
      'flowchart TD',
    ])
    const [, picture = ''] = /^The picture is (.+)$/m.exec(output) ?? []
    expect(readFileSync(picture, 'utf8')).toMatch(/^<svg[\s\S]*fetched/)
  })

  it.each([
    ['a person says no', "return 'approve'", "return 'deny'"],
    ['a document is not there', "'https://example.com/support': ", "'https://example.com/elsewhere': "],
    ['the agent says something else', 'Sales are up; three', 'Sales are down; three'],
  ])('is missed when %s', async (_, before, after) => {
    const change = (text: string): string => text.replace(before, after)
    const { code, output } = await runExample(file, { change, env })
    expect([code, output.includes('Expected a report')]).toEqual([1, true])
  })
})

describe('examples', () => {
  it('are one story to a folder, each with a test', () => {
    const stories = readdirSync(join(root, 'examples'), { withFileTypes: true }).filter((entry) => entry.isDirectory())
    const tests = readdirSync(join(root, 'test/examples'))
    expect(stories.map(({ name }) => `${name}.test.ts`)).toEqual(tests)
  })
})
