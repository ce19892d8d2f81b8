import { describe, expect, it } from 'vitest'
import { toMermaid } from '../../src/drawing/mermaid.ts'
import { diamond, hostile, plan, refund } from './pictures.ts'

const lines = (text: string): readonly string[] =>
  text
    .trim()
    .split('\n')
    .map((line) => line.trim())
const edges = (text: string): readonly string[] => lines(text).filter((line) => /^n\d+ -/.test(line))

/** All that may stand in a text besides labels. */
const shape =
  /^(?:flowchart (?:TD|LR)|n\d+[([{]{1,2}"[^"]*"[)\]}]{1,2}|n\d+ -(?:-|\.-)>(?:\|"[^"]*"\|)? n\d+|classDef \w+ [\w:#,. -]+|class [n\d,]+ \w+|linkStyle [\d,]+ [\w:#,.-]+)$/

describe('toMermaid()', () => {
  it('draws every step, and an edge for each value, condition and order', () => {
    const text = toMermaid(diamond)
    expect(lines(text).slice(0, 5)).toEqual([
      'flowchart TD',
      'n0["fetch<br/>http_get"]',
      'n1["parse<br/>work"]',
      'n2["count<br/>work<br/>when fetch#46;status #61;#61; 200 and #34;parse#34; #33;#61; null"]',
      'n3[["report<br/>work<br/>for each of parse"]]',
    ])
    expect(edges(text)).toEqual(['n0 --> n1', 'n0 -->|"when"| n2', 'n1 --> n3', 'n2 -.-> n3'])
  })

  it('gives types of nodes their shapes, and edges their words', () => {
    const text = toMermaid({ definition: refund })
    expect(
      lines(text)
        .filter((line) => /^n\d+[[({]/.test(line))
        .map((line) => line.replace(/"[^"]*"/, '')),
    ).toEqual(['n0([])', 'n1{}', 'n2{{}}', 'n3[]', 'n4()', 'n5{}', 'n6[[]]', 'n7[[]]', 'n8([])'])
    expect(edges(text)).toContain('n1 -->|"then"| n2')
    expect(edges(text)).toContain('n2 -->|"denied"| n8')
    expect(edges(text)).toContain('n3 -.->|"error"| n4')
    expect(edges(text)).toContain('n5 -->|"default"| n8')
  })

  it('marks how steps ended, by colour, sign and word, and how long they took', () => {
    const steps = [
      { id: 'fetch', status: 'ok' },
      { id: 'parse', status: 'failed' },
      { id: 'count', status: 'cancelled' },
      { id: 'report', status: 'skipped' },
    ] as const
    const end = { type: 'node-end', node: 'fetch', status: 'ok', durationMs: 1234, seq: 1, at: 0, run: 'r' } as const
    const text = toMermaid({ toJSON: () => diamond }, { steps }, { events: [end], direction: 'right' })
    expect(text).toContain('flowchart LR')
    expect(text).toContain('✓ ok · 1#46;23 s')
    expect(text).toContain('✗ failed')
    for (const { status } of steps) expect(text).toMatch(new RegExp(`classDef ${status} .*\\n  class n\\d ${status}`))
  })

  it('counts the visits of a workflow and marks the ways it went', () => {
    const visits = (['start', 'judge', 'pay', 'wait', 'pay', 'wait', 'pay'] as const).map((node) => ({
      node,
      type: refund.nodes.find(({ id }) => id === node)!.type,
      status: node === 'pay' ? ('failed' as const) : ('ok' as const),
    }))
    const text = toMermaid(refund, { visits })
    expect(text).toContain('✗ failed · ×3')
    expect(edges(text)).toContain('n3 -.->|"error ×2"| n4')
    const taken = /linkStyle ([\d,]+) /
      .exec(text)?.[1]
      ?.split(',')
      .map((at) => edges(text)[Number(at)])
    expect(taken).toEqual(['n0 --> n1', 'n1 -->|"else"| n3', 'n3 -.->|"error ×2"| n4', 'n4 -->|"×2"| n3'])
  })

  it('keeps hostile names within their labels', () => {
    const names = plan(
      ...hostile.map((id, at) => ({ id, tool: hostile.at(-at)!, after: [hostile[at - 1] ?? ''], when: id })),
    )
    const nodes = hostile.map((id) => ({ id, type: 'switch' as const, value: id, cases: { [id]: hostile[0]! } }))
    for (const text of [toMermaid(names), toMermaid({ version: 1, name: hostile[2]!, nodes })]) {
      for (const line of lines(text)) expect(line).toMatch(shape)
      // Nothing in a label but letters, digits, codes and line breaks.
      for (const [, label = ''] of text.matchAll(/"([^"]*)"/g))
        expect(label.replaceAll('<br/>', '').replace(/#\d+;/g, '')).toMatch(/^[\p{L}\p{N} _–…×·]*$/u)
    }
    // Each after the one before it; and three of these names are conditions that look up the step itself.
    expect(edges(toMermaid(names))).toHaveLength(hostile.length - 1 + 3)
  })

  it('refuses what is neither a plan nor a workflow', () => {
    for (const wrong of [undefined, null, {}, { steps: [1] }, { nodes: [{}] }, { toJSON: () => 'x' }])
      expect(() => toMermaid(wrong as never)).toThrow(expect.objectContaining({ code: 'config-invalid' }))
  })
})
