import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { layersOf } from '../../src/drawing/layers.ts'
import { layout } from '../../src/drawing/layout.ts'
import type { Box } from '../../src/drawing/layout.ts'

const spacing = { gap: 20, rowGap: 40, label: { x: 0.5, y: 0.5 } }

/** Any graph: circles, doubled links and links to itself included. */
const graph = fc.integer({ min: 1, max: 30 }).chain((count) =>
  fc.record({
    sizes: fc.array(
      fc.record({
        width: fc.integer({ min: 20, max: 300 }),
        height: fc.integer({ min: 20, max: 120 }),
        isPointed: fc.boolean(),
      }),
      { minLength: count, maxLength: count },
    ),
    links: fc.array(fc.record({ from: fc.nat({ max: count - 1 }), to: fc.nat({ max: count - 1 }) }), { maxLength: 60 }),
  }),
)

const overlap = (a: Box, b: Box): boolean =>
  Math.abs(a.x - b.x) < (a.width + b.width) / 2 + spacing.gap - 0.3 && Math.abs(a.y - b.y) < (a.height + b.height) / 2

const isInside = (box: Box, x: number, y: number): boolean =>
  Math.abs(x - box.x) < box.width / 2 - 0.3 && Math.abs(y - box.y) < box.height / 2 - 0.3

describe('layersOf()', () => {
  it('puts each node below all it comes after, and turns only links that close a circle', () => {
    fc.assert(
      fc.property(graph, ({ sizes, links }) => {
        const { layerOf, isBack } = layersOf(sizes.length, links)
        for (const [index, { from, to }] of links.entries())
          if (isBack[index] === false) expect(layerOf[from]).toBeLessThan(layerOf[to]!)
      }),
    )
    expect(
      layersOf(3, [
        { from: 0, to: 1 },
        { from: 1, to: 2 },
        { from: 0, to: 2 },
      ]),
    ).toEqual({
      layerOf: [0, 1, 2],
      count: 3,
      isBack: [false, false, false],
    })
    expect(
      layersOf(2, [
        { from: 1, to: 1 },
        { from: 1, to: 0 },
        { from: 0, to: 1 },
      ]).isBack.filter(Boolean),
    ).toHaveLength(2)
  })
})

describe('layout()', () => {
  it('never puts one box on another, and all within the picture', () => {
    fc.assert(
      fc.property(graph, ({ sizes, links }) => {
        const { boxes, routes, width, height } = layout(sizes, links, spacing)
        for (const [at, box] of boxes.entries())
          for (const other of boxes.slice(at + 1)) expect(overlap(box, other)).toBe(false)
        const points = routes.flatMap(({ points }) => points)
        for (const { x, y } of [...boxes, ...points]) {
          expect(x).toBeGreaterThanOrEqual(0)
          expect(y).toBeGreaterThanOrEqual(0)
          expect(x).toBeLessThanOrEqual(width)
          expect(y).toBeLessThanOrEqual(height)
        }
      }),
    )
  })

  it('leads edges from the border of one box to that of another, and bends in none', () => {
    fc.assert(
      fc.property(graph, ({ sizes, links }) => {
        const { boxes, routes } = layout(sizes, links, spacing)
        for (const { points } of routes)
          for (const { x, y } of points) expect(boxes.some((box) => isInside(box, x, y))).toBe(false)
      }),
    )
  })

  it('gives the same for the same', () => {
    fc.assert(
      fc.property(graph, ({ sizes, links }) => {
        expect(layout(sizes, links, spacing)).toEqual(layout(sizes, links, spacing))
      }),
      { numRuns: 20 },
    )
  })

  it('puts a chain in one line, and two branches at the same distance', () => {
    const size = { width: 100, height: 40 }
    const links = [
      [0, 1],
      [0, 2],
      [1, 3],
      [2, 3],
      [3, 4],
    ].map(([from = 0, to = 0]) => ({ from, to }))
    const { boxes } = layout([size, size, size, size, size], links, spacing)
    const [top, left, right, bottom, last] = boxes.map(({ x }) => x)
    expect([bottom, last]).toEqual([top, top])
    expect(top! - left!).toBeCloseTo(right! - top!)
  })
})
