// docs/seeds.md tells of nothing that is not there: every name is exported, every proof exists, nothing is "later" for ever.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { javascript, shell } from '../../adapters/virtual/index.ts'
import { builtinTools } from '../../src/builtin/builtin.ts'
import { codeTools } from '../../src/builtin/code-tools.ts'
import { jsonQuery } from '../../src/builtin/json-query.ts'
import { webTools } from '../../src/builtin/web-tools.ts'
import { scenarios } from '../../src/testing/scenarios/all.ts'
import { memoryFiles } from '../../src/vfs/memory.ts'
import { entries } from '../../scripts/entries.mjs'
import { entryNames } from '../surface/source.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

interface Row {
  readonly theirs: string
  readonly ours: string
  readonly difference: string
  readonly proof: string
}

/** The rows of all tables, without their heads. */
function rowsOf(text: string): readonly Row[] {
  return text.split('\n').flatMap((line) => {
    const cells = line.split('|').map((cell) => cell.trim())
    if (!line.startsWith('|') || cells[2] === 'Here' || /^-+$/.test(cells[1] ?? '')) return []
    if (cells.length !== 6) throw new Error(`Wanted four cells, got "${line}"`)
    const [, theirs = '', ours = '', difference = '', proof = ''] = cells
    return [{ theirs, ours, difference, proof }]
  })
}

const awaited = ['built-in tools', 'buckets', 'models'].map((what) => `later: ${what}`)

const exported = new Set(
  entries().flatMap(({ source }) => {
    const { values, types } = entryNames(source)
    return [...values, ...types]
  }),
)

const env = { fs: memoryFiles(), shell: shell(), code: javascript(), fetch }
const shipped = new Set(
  [
    ...builtinTools({ env }),
    ...codeTools({ env }),
    ...jsonQuery({ env }),
    ...webTools({ env, search: async () => [] }),
  ].map(({ name }) => name),
)

const sources = ['src', 'adapters']
  .flatMap((top) => readdirSync(join(root, top), { recursive: true, encoding: 'utf8' }).map((path) => join(top, path)))
  .filter((path) => path.endsWith('.ts'))
  .map(read)
  .join('\n')

/** Whether some type declares a member of that name. */
const isMember = (name: string): boolean => new RegExp(`^ +(?:readonly )?${name}\\??(?:<.*>)?[:(]`, 'm').test(sources)

const codeSpans = (text: string): readonly string[] => Array.from(text.matchAll(/`([^`]+)`/g), (match) => match[1]!)

/** What is wrong with a name as the tables write it: `agent`, `agent({ tools, registry })`, `agent().run()`. */
function nameProblem(span: string): string | undefined {
  const match = /^(\w+)(?:\((?:\{ ([\w, ]+) \})?\))?((?:\.\w+(?:\(\))?)*)$/.exec(span)
  if (!match) return `"${span}" is not written as a name`
  const [, name = '', options = '', path = ''] = match
  if (shipped.has(name)) return undefined
  if (!exported.has(name)) return `no entry point has "${name}"`
  const members = [...options.split(','), ...path.split('.')].map((word) => word.replace('()', '').trim())
  const missing = members.find((member) => member !== '' && !isMember(member))
  return missing === undefined ? undefined : `nothing has a member "${missing}", which "${span}" names`
}

const names = scenarios.map(({ name }) => name)
const ids = new Set(names.map((name) => name.split(' ')[0]))

/** What is wrong with one proof, as the tables write it: `scenario: K1`, `test/x.test.ts: the title of a test`. */
function proofProblem(proof: string): string | undefined {
  const [, where = '', title = ''] =
    /^(scenario|test\/(?:[\w./-]+\.test|adapters\/inside\/[\w./-]+)\.ts): (.+)$/.exec(proof) ?? []
  if (where === '') return `"${proof}" is not written as a proof`
  if (where === 'scenario')
    return names.includes(title) || (/^[KCV]\d+$/.test(title) && ids.has(title))
      ? undefined
      : `there is no scenario "${title}"`
  if (!existsSync(join(root, where))) return `there is no file "${where}"`
  const quoted = title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`(?:[([]\\s*|^ +)(['"\`])${quoted}\\1`, 'm').test(read(where))
    ? undefined
    : `"${where}" has no test "${title}"`
}

function rowProblems({ theirs, ours, difference, proof }: Row): readonly string[] {
  const about = (problem: string | undefined): string[] => (problem === undefined ? [] : [`${theirs}: ${problem}`])
  if (proof.startsWith('later')) {
    const come = codeSpans(ours).find((span) => nameProblem(span) === undefined)
    return [
      ...about(awaited.includes(proof) ? undefined : `"${proof}" is none of ${awaited.join(', ')}`),
      ...about(come === undefined ? undefined : `"${come}" is here, so the row is no longer for later`),
    ]
  }
  const spans = codeSpans(ours)
  return [
    ...about(spans.length === 0 ? 'it names nothing of ours' : undefined),
    ...about(difference === '' ? 'it does not say what differs' : undefined),
    ...spans.flatMap((span) => about(nameProblem(span))),
    ...proof.split('<br>').flatMap((one) => about(proofProblem(one))),
  ]
}

describe('docs/seeds.md', () => {
  const text = read('docs/seeds.md')
  const rows = rowsOf(text)

  it('names only what an entry point exports, and proofs that exist', () => {
    expect(rows.flatMap(rowProblems)).toEqual([])
  })

  it('has a row for what the seeds are known by', () => {
    const known = codeSpans(rows.map(({ theirs }) => theirs).join(' '))
    expect(known).toEqual(
      expect.arrayContaining([
        'FunctionKernel',
        'HumanTool',
        'SchemaBasedTool',
        'ToolApprovalHandler',
        'ToolLifecycleHook',
        'ToolOrchestrator',
        'call_tool',
        'register_all_tools_with_policy',
        'return_direct',
      ]),
    )
    expect(known.join(' ')).toContain('ToolRegistry')
    for (const seed of ['Kova', 'Cognis', 'Kaval']) expect(text).toContain(`\n## ${seed}\n`)
  })

  it('points to every acceptance item', () => {
    for (const id of ids) if (/^[KCV]\d+$/.test(id ?? '')) expect(text).toMatch(new RegExp(`scenario: ${id}(?:<br>| )`))
  })
})

describe('a row of docs/seeds.md', () => {
  const row = { theirs: 'x', ours: '`agent({ tools })`', difference: 'None.', proof: 'scenario: K1' }
  const problems = (change: Partial<Row>): number => rowProblems({ ...row, ...change }).length

  it('fails by a name, an option or a member that does not exist', () => {
    expect(problems({})).toBe(0)
    expect(problems({ ours: '`agents()`' })).toBe(1)
    expect(problems({ ours: '`agent({ toools })`' })).toBe(1)
    expect(problems({ ours: '`agent().stroll()`, `fs_reed`' })).toBe(2)
    expect(problems({ ours: 'agent' })).toBe(1)
  })

  it('fails by a scenario or a test that does not exist', () => {
    expect(problems({ proof: 'scenario: K99' })).toBe(1)
    expect(problems({ proof: 'scenario: an unknown' })).toBe(1)
    expect(problems({ proof: 'test/docs/none.test.ts: something' })).toBe(1)
    expect(problems({ proof: 'test/docs/seeds.test.ts: points to every acceptance item' })).toBe(0)
    expect(problems({ proof: 'test/docs/seeds.test.ts: points to every' })).toBe(1)
    expect(problems({ proof: '' })).toBe(1)
  })

  it('fails when it waits for something unknown, or for what has come', () => {
    expect(problems({ ours: '', difference: '', proof: 'later: models' })).toBe(0)
    expect(problems({ ours: '', difference: '', proof: 'later: some day' })).toBe(1)
    expect(problems({ ours: '`agent()`', proof: 'later: models' })).toBe(1)
  })
})
