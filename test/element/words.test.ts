import { readFileSync, readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { englishLabels } from '../../element/labels.ts'
import { adviceFor } from '../../element/view/advice.ts'
import { announcements } from '../../element/view/announcement.ts'
import type { Told } from '../../element/view/announcement.ts'
import { diffRows } from '../../element/view/diff-rows.ts'
import type { Entry } from '../../element/view/entry.ts'
import { argumentLine, byteSize, count, duration } from '../../element/view/figure.ts'
import { modelLabel } from '../../element/view/model-label.ts'
import { finishedUpTo, spoken } from '../../element/view/sentence.ts'
import { visibleJson, visiblePieces, visibleText } from '../../element/view/visible.ts'

describe('finishedUpTo()', () => {
  it('waits for the end of a sentence', () => {
    expect(finishedUpTo('I read it. Now I wri', 0)).toBe(11)
    expect(finishedUpTo('3.14 and', 0)).toBe(0)
    expect(finishedUpTo('one line\nhalf', 0)).toBe(9)
  })

  it('goes on from where it was', () => {
    expect(finishedUpTo('A. B. c', 3)).toBe(6)
  })
})

describe('spoken()', () => {
  it('leaves the marks of Markdown out', () => {
    expect(spoken('**Two** `open` [tasks](https://x.test)\n- one')).toBe('Two open tasks - one')
  })
})

const text = (value: string, done: boolean): Entry => ({
  kind: 'text',
  key: 't',
  run: 'r',
  step: 1,
  text: value,
  done,
  startedAt: 0,
})
const tool = (state: 'running' | 'waiting' | 'done'): Entry => ({
  kind: 'tool',
  key: 'c',
  run: 'r',
  step: 1,
  callId: 'c',
  name: 'fs_write',
  state,
  text: '',
})

describe('announcements()', () => {
  it('tells each finished sentence once, and the rest at the end', () => {
    const told: Told = new Map()
    expect(announcements([text('One. Tw', false)], told, englishLabels)).toEqual(['One.'])
    expect(announcements([text('One. Two thr', false)], told, englishLabels)).toEqual([])
    expect(announcements([text('One. Two three', true)], told, englishLabels)).toEqual(['Two three'])
    expect(announcements([text('One. Two three', true)], told, englishLabels)).toEqual([])
  })

  it('tells of a question and of the end of a call, not of its start', () => {
    const told: Told = new Map()
    expect(announcements([tool('running')], told, englishLabels)).toEqual([])
    expect(announcements([tool('waiting')], told, englishLabels)).toEqual(['fs_write: waits for you. '])
    expect(announcements([tool('waiting')], told, englishLabels)).toEqual([])
    expect(announcements([tool('done')], told, englishLabels)).toEqual(['fs_write: done'])
  })
})

describe('diffRows()', () => {
  it('numbers the lines of both sides', () => {
    const { rows, added, removed } = diffRows('--- a/x\n+++ b/x\n@@ -3,3 +3,3 @@\n same\n-old\n+new\n end\n')
    expect(rows.map(({ kind, number }) => [kind, number])).toEqual([
      ['same', 3],
      ['remove', 4],
      ['add', 4],
      ['same', 5],
    ])
    expect([added, removed]).toEqual([1, 1])
  })

  it('numbers a removed line by the old text, whatever was added before it', () => {
    const { rows } = diffRows('@@ -1,2 +1,3 @@\n+a\n+b\n one\n-two\n')
    expect(rows.map(({ number }) => number)).toEqual([1, 2, 3, 2])
  })

  it('begins a new file at line one and leaves the remark about the last line out', () => {
    const { rows } = diffRows('--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+only\n\\ No newline at end of file\n')
    expect(rows).toEqual([{ kind: 'add', text: 'only', number: 1 }])
  })

  it('marks the gap between hunks, and keeps lines that look like headers', () => {
    const { rows } = diffRows('@@ -1 +1 @@\n--- gone\n+++ come\n@@ -9 +9 @@\n+x\n')
    expect(rows.map(({ kind, text: line }) => [kind, line])).toEqual([
      ['remove', '-- gone'],
      ['add', '++ come'],
      ['gap', ''],
      ['add', 'x'],
    ])
  })

  it('gives at most 400 rows, counts the rest and keeps it', () => {
    const diff = `@@ -0,0 +1,500 @@\n${'+x\n'.repeat(499)}+end\n`
    const { rows, left, rest, isCut } = diffRows(diff)
    expect([rows.length, left, isCut]).toEqual([400, 100, false])
    expect(rest).toBe(`${'+x\n'.repeat(99)}+end`)
    expect(diffRows(diff, 500).rows.at(-1)).toEqual({ kind: 'add', text: 'end', number: 500 })
  })

  it('shows what is no line of a file as it is, also where there is no hunk', () => {
    expect(diffRows('all files will be deleted').rows).toEqual([{ kind: 'note', text: 'all files will be deleted' }])
    const two = '--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n--- a/y\n+++ b/y\n@@ -0,0 +0,0 @@\n+c\nodd\n'
    expect(diffRows(two).rows.map(({ kind, text: line }) => [kind, line])).toEqual([
      ['remove', 'a'],
      ['add', 'b'],
      ['note', '--- a/y'],
      ['note', '+++ b/y'],
      ['gap', ''],
      ['add', 'c'],
      ['note', 'odd'],
    ])
  })

  it('knows a diff that the tool cut, and shows the line that says so', () => {
    const { rows, isCut } = diffRows('@@ -0,0 +1,9 @@\n+a…\n[the diff is cut: 1 of its 9 characters are shown]\n')
    expect(isCut).toBe(true)
    expect(rows.at(-1)).toMatchObject({ kind: 'note', text: '[the diff is cut: 1 of its 9 characters are shown]' })
    expect(diffRows('@@ -0,0 +1 @@\n+[the diff is cut\n').isCut).toBe(false)
  })
})

describe('visibleText()', () => {
  it('marks what cannot be seen or turns text around, and counts repeats', () => {
    expect(visibleText('a\u202egpj.sh')).toBe('a⟨U+202E⟩gpj.sh')
    expect(visibleText('x\u200b\u200b\u200by\ufeff\u{e0041}\0\r')).toBe(
      'x⟨U+200B ×3⟩y⟨U+FEFF⟩⟨U+E0041⟩⟨U+0000⟩⟨U+000D⟩',
    )
    expect(visibleText('a\u200db a\ufe0f')).toBe('a⟨U+200D⟩b a⟨U+FE0F⟩')
  })

  it('leaves what is written in any script, white space and emoji as they are', () => {
    for (const text of ['größe 文件 שלום سلام\t\n', '👩‍👩‍👧 👩🏽‍🚀 ❤️‍🔥 ✔️', '']) expect(visibleText(text)).toBe(text)
  })

  it('makes few pieces of many marks, and loses none', () => {
    const pieces = visiblePieces('\u200b\u200c'.repeat(50_000))
    expect(pieces.length).toBeLessThan(300)
    expect(visibleText('\u200b\u200c'.repeat(300)).match(/U\+200C/g)).toHaveLength(300)
  })

  it('escapes them in JSON, which stays the same value', () => {
    const value = { 'a\u202e': ['\u{e0041}', 'x\ny'] }
    expect(visibleJson(value, 0)).toBe('{"a\\u202e":["\\udb40\\udc41","x\\ny"]}')
    expect(JSON.parse(visibleJson(value))).toEqual(value)
  })
})

describe('figures', () => {
  it('names durations and sizes in one unit', () => {
    expect([duration(0.2), duration(38), duration(1500), duration(125_000)]).toEqual([
      '<1 ms',
      '38 ms',
      '1.5 s',
      '2 min 5 s',
    ])
    expect([byteSize(12), byteSize(3100), byteSize(42_000), byteSize(2_500_000)]).toEqual([
      '12 B',
      '3.1 kB',
      '42 kB',
      '2.5 MB',
    ])
    expect([count(999), count(12_345), count(250_000)]).toEqual(['999', '12.3k', '250k'])
  })

  it('shows arguments in one short line', () => {
    expect(argumentLine({ path: 'notes.md' })).toBe('notes.md')
    expect(argumentLine({ path: 'a', contents: 'b\n  c' })).toBe('path: a, contents: b c')
    expect(argumentLine({ text: 'x'.repeat(500) }).length).toBe(121)
    expect(argumentLine([1, 2])).toBe('[1,2]')
  })
})

describe('modelLabel()', () => {
  it('says of the planner that it is no AI, and takes names from outside as names', () => {
    expect(modelLabel('local-planner')).toEqual({ label: 'local planner', ai: false })
    expect(modelLabel('constructor')).toEqual({ label: 'constructor', ai: true })
  })
})

describe('adviceFor()', () => {
  it('has a cause and a next step for every code, also for one it does not know', () => {
    for (const code of ['model-request', 'model-truncated', 'offline', 'http-401', 'never-heard-of']) {
      const { cause, next } = adviceFor(code)
      expect(cause.length).toBeGreaterThan(10)
      expect(next.length).toBeGreaterThan(10)
    }
    expect(adviceFor('model-request').cause).not.toBe(adviceFor('model-truncated').cause)
  })

  it('knows each code that the worker answers with, by more than its family', () => {
    const root = new URL('../../adapters/cloudflare/', import.meta.url)
    const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
    const texts = sources.map((name) => readFileSync(new URL(name, root), 'utf8'))
    const codes = new Set(
      texts.flatMap((text) => [...text.matchAll(/\bcode: '([a-z-]+)'/g)].map(([, code = '']) => code)),
    )
    expect(codes.size).toBeGreaterThan(10)
    const plain = ['never-heard-of', 'run-never-heard-of'].map((code) => adviceFor(code).next)
    expect([...codes].filter((code) => plain.includes(adviceFor(code).next))).toEqual([])
    // And those it passes on from the core.
    const table = readFileSync(new URL('http/response.ts', root), 'utf8')
    const passed = [...table.matchAll(/^ {2}'([a-z-]+)': \d{3},$/gm)].map(([, code = '']) => code)
    expect(passed.length).toBeGreaterThan(10)
    expect(passed.filter((code) => plain.includes(adviceFor(code).next))).toEqual([])
  })

  it('tells to wait where another run is at work, and to begin anew where a session is gone', () => {
    expect(adviceFor('run-active')).toEqual(adviceFor('http-409'))
    expect(adviceFor('run-active').next).toContain('Wait')
    expect(['unknown-session', 'session-full'].map((code) => adviceFor(code).renews)).toEqual([true, true])
    expect(adviceFor('constructor')).toEqual(adviceFor('never-heard-of'))
  })
})
