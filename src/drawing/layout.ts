// Places the boxes of a graph in rows, and leads its edges past them.
import { layersOf } from './layers.ts'
import type { Link } from './layers.ts'
import { ordered, spread } from './ordering.ts'
import type { Place } from './ordering.ts'

export interface Size {
  readonly width: number
  readonly height: number
}

export interface Outline extends Size {
  /** The middles of its sides stick out: edges meet it nowhere else. */
  readonly isPointed?: boolean | undefined
}

/** `x` and `y` are of the middle. */
export interface Box extends Outline {
  readonly x: number
  readonly y: number
}

export interface Point {
  readonly x: number
  readonly y: number
}

export interface Route {
  /** From the edge of one box to that of another, and through every row between. */
  readonly points: readonly Point[]
  /** It runs against the rows, around the side: its corners are to be rounded, not its course. */
  readonly isBack: boolean
  /** Where a label may stand. */
  readonly label: Point
}

export interface Layout extends Size {
  readonly boxes: readonly Box[]
  /** By link. */
  readonly routes: readonly Route[]
}

export interface Spacing {
  /** Between neighbours in a row. */
  readonly gap: number
  /** Between rows. */
  readonly rowGap: number
  /** Where on its first stretch an edge has its label, from 0 to 1: along the rows, and from row to row. */
  readonly label: Point
}

/** More bends than this are not drawn: a long edge then goes straight, behind the boxes. */
const mostBends = 20_000

const laneWidth = 14

interface Rows {
  readonly places: readonly Place[]
  /** By link, the places it passes through. */
  readonly bends: readonly (readonly number[])[]
  readonly middle: readonly number[]
  readonly layerOf: readonly number[]
  readonly tops: readonly number[]
  readonly heights: readonly number[]
  readonly isBack: readonly boolean[]
}

/** The same graph always gives the same layout; rows run downwards. No two boxes overlap. */
export function layout(sizes: readonly Outline[], links: readonly Link[], { gap, rowGap, label }: Spacing): Layout {
  const { layerOf, count, isBack } = layersOf(sizes.length, links)
  const { places, bends } = placesOf(sizes, links, { layerOf, isBack })
  const middle = spread(places, ordered(places, count), gap)
  const heights = new Array<number>(count).fill(0)
  for (const [node, { height }] of sizes.entries()) {
    const layer = layerOf[node] ?? 0
    heights[layer] = Math.max(heights[layer] ?? 0, height)
  }
  const tops: number[] = []
  for (let layer = 0, top = 0; layer < count; layer++) {
    tops.push(top)
    top += (heights[layer] ?? 0) + rowGap
  }
  const boxes = sizes.map((size, node): Box => {
    const layer = layerOf[node] ?? 0
    return { x: middle[node] ?? 0, y: (tops[layer] ?? 0) + (heights[layer] ?? 0) / 2, ...size }
  })
  const rows: Rows = { places, bends, middle, layerOf, tops, heights, isBack }
  return framed(boxes, routesOf(boxes, links, { rows, rowGap, label }))
}

function placesOf(
  sizes: readonly Size[],
  links: readonly Link[],
  { layerOf, isBack }: { readonly layerOf: readonly number[]; readonly isBack: readonly boolean[] },
): Pick<Rows, 'places' | 'bends'> {
  const places: Place[] = sizes.map(({ width }, node) => ({
    layer: layerOf[node] ?? 0,
    size: width,
    isBend: false,
    above: [],
    below: [],
  }))
  let left = mostBends
  const bends = links.map(({ from, to }, link): readonly number[] => {
    if (isBack[link] === true) return []
    const first = (layerOf[from] ?? 0) + 1
    const passed = (layerOf[to] ?? 0) - first
    const through: number[] = []
    if (passed <= left) {
      left -= passed
      for (let layer = first; layer < first + passed; layer++) {
        through.push(places.length)
        places.push({ layer, size: 12, isBend: true, above: [], below: [] })
      }
    } else if (passed > 0) return []
    const chain = [from, ...through, to]
    for (const [at, place] of chain.entries()) {
      const next = chain[at + 1]
      if (next === undefined) break
      places[place]?.below.push(next)
      places[next]?.above.push(place)
    }
    return through
  })
  return { places, bends }
}

interface Course {
  readonly rows: Rows
  readonly rowGap: number
  readonly label: Point
}

/** Ends that are so nearly in line with the way to go are put in line. */
const snap = 9

function routesOf(boxes: readonly Box[], links: readonly Link[], course: Course): readonly Route[] {
  const { rows, label } = course
  const leaving = ports(boxes, links, { rows, isLeaving: true })
  const arriving = ports(boxes, links, { rows, isLeaving: false })
  const back = backRoutes(boxes, links, course)
  return links.map(({ from, to }, link): Route => {
    const around = back.get(link)
    if (around) return around
    const source = boxes[from] as Box
    const target = boxes[to] as Box
    const start = { x: source.x + (leaving[link] ?? 0), y: source.y + source.height / 2 }
    const end = { x: target.x + (arriving[link] ?? 0), y: target.y - target.height / 2 }
    const through = (rows.bends[link] ?? []).flatMap((place): readonly Point[] => {
      const { layer = 0 } = rows.places[place] ?? {}
      const x = rows.middle[place] ?? 0
      const top = rows.tops[layer] ?? 0
      return [
        { x, y: top },
        { x, y: top + (rows.heights[layer] ?? 0) },
      ]
    })
    if (leaving[link] === 0 && source.isPointed !== true) start.x = inLine(start.x, (through[0] ?? end).x)
    if (arriving[link] === 0 && target.isPointed !== true) end.x = inLine(end.x, (through.at(-1) ?? start).x)
    const next = through[0] ?? end
    const place = { x: start.x + label.x * (next.x - start.x), y: start.y + label.y * (next.y - start.y) }
    return { points: [start, ...through, end], isBack: false, label: place }
  })
}

const inLine = (x: number, other: number): number => (Math.abs(x - other) < snap ? other : x)

/** How far from the middle of a box each link leaves or arrives: in the order of where it comes from, a little apart. */
function ports(
  boxes: readonly Box[],
  links: readonly Link[],
  { rows, isLeaving }: { readonly rows: Rows; readonly isLeaving: boolean },
): readonly number[] {
  const shifts = new Array<number>(links.length).fill(0)
  const atBox = new Map<number, number[]>()
  for (const [index, link] of links.entries()) {
    if (rows.isBack[index] === true) continue
    const node = isLeaving ? link.from : link.to
    const known = atBox.get(node)
    if (known) known.push(index)
    else atBox.set(node, [index])
  }
  const towards = (link: number): number => {
    const through = rows.bends[link] ?? []
    const next = isLeaving ? through[0] : through.at(-1)
    const { from, to } = links[link] as Link
    return rows.middle[next ?? (isLeaving ? to : from)] ?? 0
  }
  for (const [node, here] of atBox) {
    const { width = 0, isPointed = false } = boxes[node] ?? {}
    const step = isPointed ? 0 : Math.min(16, (width * 0.5) / here.length)
    here.sort((a, b) => towards(a) - towards(b) || a - b)
    for (const [at, link] of here.entries()) shifts[link] = (at - (here.length - 1) / 2) * step
  }
  return shifts
}

/** Around the right side, the shorter ones further in. */
function backRoutes(
  boxes: readonly Box[],
  links: readonly Link[],
  { rows, rowGap }: Course,
): ReadonlyMap<number, Route> {
  const routes = new Map<number, Route>()
  const layer = (node: number): number => rows.layerOf[node] ?? 0
  const back = links.flatMap((link, index) => (rows.isBack[index] === true ? [{ ...link, index }] : []))
  if (!back.length) return routes
  back.sort((a, b) => layer(a.from) - layer(a.to) - (layer(b.from) - layer(b.to)) || a.index - b.index)
  // The right border of each row, moved on by every edge that runs past it.
  const borders = new Array<number>(rows.tops.length).fill(-Infinity)
  for (const [place, { layer: row, size }] of rows.places.entries())
    borders[row] = Math.max(borders[row] ?? 0, (rows.middle[place] ?? 0) + size / 2)
  const outer = [...borders]
  for (const { from, to, index } of back) {
    const source = boxes[from] as Box
    const target = boxes[to] as Box
    let side = -Infinity
    for (let row = layer(to); row <= layer(from); row++) side = Math.max(side, outer[row] ?? 0)
    side += laneWidth + 10
    for (let row = layer(to); row <= layer(from); row++) outer[row] = side
    const isLast = (box: Box, row: number): boolean => box.x + box.width / 2 >= (borders[row] ?? 0) - 0.01
    const out = exit(source, { side, isLast: isLast(source, layer(from)), rowGap, rows, row: layer(from) })
    const into = entry(target, { side, isLast: isLast(target, layer(to)), rowGap, rows, row: layer(to) })
    const y = ((out.at(-1)?.y ?? 0) + (into[0]?.y ?? 0)) / 2
    routes.set(index, { points: [...out, ...into], isBack: true, label: { x: side, y } })
  }
  return routes
}

interface Turn {
  readonly side: number
  readonly isLast: boolean
  readonly rowGap: number
  readonly rows: Rows
  readonly row: number
}

function exit(box: Box, { side, isLast, rowGap, rows, row }: Turn): readonly Point[] {
  if (isLast) return pair({ x: box.x + box.width / 2, y: box.y }, side)
  const below = (rows.tops[row] ?? 0) + (rows.heights[row] ?? 0) + rowGap * 0.3
  const x = box.x + besideMiddle(box)
  return [{ x, y: box.y + box.height / 2 }, ...pair({ x, y: below }, side)]
}

/** A little above the middle, so that a box may lead to itself. */
function entry(box: Box, { side, isLast, rowGap, rows, row }: Turn): readonly Point[] {
  if (isLast && box.isPointed !== true)
    return pair({ x: box.x + box.width / 2, y: box.y - box.height / 4 }, side).reverse()
  const above = (rows.tops[row] ?? 0) - rowGap * 0.3
  const x = box.x + besideMiddle(box)
  return [...pair({ x, y: above }, side).reverse(), { x, y: box.y - box.height / 2 }]
}

const besideMiddle = ({ width, isPointed }: Box): number => (isPointed === true ? 0 : Math.min(30, width / 4))

const pair = (point: Point, side: number): Point[] => [point, { x: side, y: point.y }]

/** Moves all so that the picture begins at 0, with what it needs. */
function framed(boxes: readonly Box[], routes: readonly Route[]): Layout {
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity]
  const reach = (x: number, y: number): void => {
    left = Math.min(left, x)
    right = Math.max(right, x)
    top = Math.min(top, y)
    bottom = Math.max(bottom, y)
  }
  for (const { x, y, width, height } of boxes) {
    reach(x - width / 2, y - height / 2)
    reach(x + width / 2, y + height / 2)
  }
  for (const { points } of routes) for (const { x, y } of points) reach(x, y)
  if (!boxes.length) return { boxes, routes, width: 0, height: 0 }
  const moved = ({ x, y }: Point): Point => ({ x: round(x - left), y: round(y - top) })
  return {
    boxes: boxes.map((box) => ({ ...box, ...moved(box) })),
    routes: routes.map(({ points, isBack, label }) => ({ points: points.map(moved), isBack, label: moved(label) })),
    width: round(right - left),
    height: round(bottom - top),
  }
}

const round = (value: number): number => Math.round(value * 10) / 10
