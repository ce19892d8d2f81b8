import { describe, expect, it } from 'vitest'
import { toSvg } from '../../src/drawing/svg.ts'
import { classes, diamond, hostile, plan, readXml, refund, tags, wordsOf } from './pictures.ts'
import type { Tag } from './pictures.ts'

const drawn = (...of: Parameters<typeof toSvg>): Tag => readXml(toSvg(...of))
const edgesOf = (picture: Tag): readonly string[] => classes(picture, 'path').filter((name) => name.startsWith('edge'))
const titles = (picture: Tag): readonly string[] => tags(picture, 'title').map(wordsOf)
const words = (picture: Tag): readonly string[] => tags(picture, 'text').map(wordsOf)

describe('toSvg()', () => {
  it('draws every step with its name, and every dependency', () => {
    const picture = drawn(diamond)
    expect(picture.attributes).toMatchObject({ role: 'img', 'aria-label': 'Plan of 4 steps' })
    expect(words(picture)).toEqual(
      expect.arrayContaining(['fetch', 'http_get', 'parse', 'count', 'report', 'for each of parse']),
    )
    expect(edgesOf(picture)).toEqual(['edge', 'edge', 'edge', 'edge-after'])
  })

  it('draws a workflow with its circle, whichever way it runs', () => {
    for (const direction of ['down', 'right'] as const) {
      const picture = drawn(refund, undefined, { direction })
      expect(titles(picture)).toHaveLength(refund.nodes.length)
      expect(words(picture)).toEqual(expect.arrayContaining(['then', 'else', 'approved', 'denied', 'error', 'default']))
      expect(edgesOf(picture)).toHaveLength(13)
    }
  })

  it('shows how steps ended by a form, not only by a colour', () => {
    const status = { fetch: 'ok', parse: 'failed', count: 'cancelled', report: 'skipped' } as const
    const steps = Object.entries(status).map(([id, status]) => ({ id, status, message: `why ${id}`, because: 'when' }))
    const picture = drawn(diamond, { steps })
    const signs = tags(picture, 'g').filter(({ attributes }) => attributes['class']?.startsWith('sign-'))
    expect(new Set(signs.map((sign) => tags(sign, 'path')[0]?.attributes['d'])).size).toBe(4)
    expect(picture.attributes['aria-label']).toBe('Plan of 4 steps: 1 ok, 1 failed, 1 cancelled, 1 skipped')
    expect(titles(picture)[1]).toContain('message: why parse')
    expect(titles(picture)[3]).toContain('because of: when')
  })

  it('adds up the time of all visits, from the outermost nodes of the log alone', () => {
    const end = { type: 'node-end', status: 'ok', seq: 1, at: 0, run: 'r' } as const
    const events = [
      { ...end, node: 'pay', durationMs: 100 },
      { ...end, node: 'pay', durationMs: 250 },
      { ...end, node: 'pay', durationMs: 5000, path: ['x'] },
      { ...end, node: 'all', status: 'skipped', durationMs: 0 },
    ] as const
    const picture = drawn(refund, undefined, { events })
    expect(words(picture)).toContain('350 ms')
    expect(titles(picture).join('\n').match(/time:/g)).toHaveLength(1)
    expect(picture.attributes['aria-label']).toContain('1 ok, 1 skipped')
  })

  it('counts visits and the ways that were taken', () => {
    const visits = (['start', 'judge', 'pay', 'wait', 'pay'] as const).map((node) => ({
      node,
      type: 'tool' as const,
      status: 'ok' as const,
    }))
    const picture = drawn(refund, { visits })
    expect(words(picture)).toContain('×2')
    expect(edgesOf(picture).filter((name) => name === 'edge-taken')).toHaveLength(4)
    expect(titles(picture)[3]).toContain('visits: 2')
  })

  it('keeps hostile names text', () => {
    const plans = plan(...hostile.map((id, at) => ({ id, tool: id, when: id, after: hostile.slice(0, at) })))
    const steps = hostile.map((id) => ({ id, status: 'failed' as const, reason: id, message: id, because: id }))
    const nodes = hostile.map((id) => ({ id, type: 'switch' as const, value: id, cases: { [id]: hostile[0]! } }))
    for (const picture of [drawn(plans, { steps }), drawn({ version: 1, name: hostile[6]!, nodes })]) {
      const names = new Set(
        ['svg', 'style', 'rect', 'g', 'title', 'path', 'text', 'circle'].flatMap((name) => tags(picture, name)),
      )
      const all: Tag[] = []
      const open = [picture]
      for (let next = open.pop(); next; next = open.pop()) {
        all.push(next)
        for (const child of next.children) if (typeof child === 'object') open.push(child)
      }
      expect(all.filter((tag) => !names.has(tag))).toEqual([])
      expect(all.flatMap(({ attributes }) => Object.keys(attributes)).filter((name) => name.startsWith('on'))).toEqual(
        [],
      )
      expect(titles(picture).join('')).toContain('</text></svg><script>alert(1)</script>')
      expect(titles(picture).join('')).toContain('⟨U+202E⟩evil⟨U+0000⟩\ufffd⟨U+FFFF⟩')
    }
  })

  it('draws what is no status as none, and a path that is none as the outermost', () => {
    const odd = ['constructor', 'x" onload="a', '\u0000', null, 5, {}] as never[]
    for (const status of odd) {
      const end = { type: 'node-end', node: 'a', status, path: null, durationMs: 1, seq: 1, at: 0, run: 'r' } as never
      const of = plan({ id: 'a' })
      expect(drawn(of, { steps: [{ id: 'a', status }] }).attributes['aria-label']).toBe('Plan of 1 step')
      expect(drawn(of, undefined, { events: [end] }).attributes['aria-label']).toBe('Plan of 1 step: 1 pending')
    }
  })

  it('draws thousands of ways to one node as one, without all of their labels', () => {
    const cases = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`${'k'.repeat(200)}${at}`, 'b']))
    const nodes = [
      { id: 'a', type: 'switch' as const, value: '1', cases },
      { id: 'b', type: 'end' as const },
    ]
    expect(edgesOf(drawn({ version: 1, name: 'x', nodes }))).toHaveLength(1)
  }, 20_000)

  it('has no id that another picture of the page could have, nothing from elsewhere, and rules for itself alone', () => {
    const text = toSvg(refund)
    const style = tags(readXml(text), 'style').map(wordsOf).join('')
    expect(text).not.toMatch(/ id=|href|url\(|@import/)
    for (const rule of style.trim().split('\n'))
      expect(rule).toMatch(/^(?:@media \(prefers-color-scheme:dark\)\{)?\.sl-drawing/)
  })

  it('says the light colours as attributes, too, for pages that forbid inline styles', () => {
    for (const tag of tags(drawn(refund), 'rect')) expect(tag.attributes['fill']).toMatch(/^#/)
  })

  it('takes what is not there for not there', () => {
    expect(drawn(plan()).attributes['aria-label']).toBe('Plan of 0 steps')
    const odd = {
      version: 1,
      name: 'x',
      nodes: [
        { id: 'a', type: 'what' },
        { id: 'b', type: 'parallel', next: 'b' },
      ],
    }
    expect(titles(drawn(odd as never))).toHaveLength(2)
    expect(titles(drawn(plan({ id: 'a', after: ['a', 'b'] }, { id: 'b', after: ['a'] }, { id: 'a' })))).toHaveLength(3)
  })

  it('draws ten thousand steps, in a chain, side by side, or all needed by the last', () => {
    const many = Array.from({ length: 10_000 }, (_, at) => ({ id: `s${at}` }))
    const chain = plan(...many.map((step, at) => ({ ...step, after: [`s${at - 1}`, 's0'] })))
    const join = plan(...many, { id: 'last', after: many.map(({ id }) => id) })
    for (const wide of [chain, join]) expect(toSvg(wide).match(/<title>/g)!.length).toBeGreaterThanOrEqual(10_000)
  }, 60_000)
})
