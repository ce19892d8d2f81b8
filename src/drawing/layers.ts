// Which row of a drawing each node stands in: below everything it comes after.

export interface Link {
  readonly from: number
  readonly to: number
}

export interface Layers {
  /** By node. */
  readonly layerOf: readonly number[]
  readonly count: number
  /** By link: whether it closes a circle and so runs against the rows. */
  readonly isBack: readonly boolean[]
}

/** Longest paths from the nodes that come first. Takes time in proportion to nodes and links, and no stack. */
export function layersOf(nodeCount: number, links: readonly Link[]): Layers {
  const outgoing = outgoingOf(nodeCount, links)
  const isBack = backLinks(links, outgoing)
  const waiting = new Array<number>(nodeCount).fill(0)
  for (const [index, { to }] of links.entries()) if (isBack[index] !== true) waiting[to] = (waiting[to] ?? 0) + 1
  const layerOf = new Array<number>(nodeCount).fill(0)
  const ready = waiting.flatMap((count, node) => (count ? [] : [node]))
  // The list grows while it is read.
  for (let at = 0; at < ready.length; at++) {
    const node = ready[at] as number
    for (const link of outgoing[node] ?? []) {
      const { to } = links[link] as Link
      if (isBack[link] === true) continue
      layerOf[to] = Math.max(layerOf[to] ?? 0, (layerOf[node] ?? 0) + 1)
      waiting[to] = (waiting[to] ?? 0) - 1
      if (waiting[to] === 0) ready.push(to)
    }
  }
  return { layerOf, count: layerOf.reduce((most, layer) => Math.max(most, layer + 1), 0), isBack }
}

function outgoingOf(nodeCount: number, links: readonly Link[]): readonly (readonly number[])[] {
  const outgoing = Array.from({ length: nodeCount }, (): number[] => [])
  for (const [index, { from }] of links.entries()) outgoing[from]?.push(index)
  return outgoing
}

/** Links back to a node from which the walk is still under way. It begins where nothing leads to. */
function backLinks(links: readonly Link[], outgoing: readonly (readonly number[])[]): readonly boolean[] {
  const isBack = new Array<boolean>(links.length).fill(false)
  const state = new Array<'new' | 'open' | 'done'>(outgoing.length).fill('new')
  const entered = new Set(links.map(({ to }) => to))
  const starts = outgoing.map((_, node) => node)
  const order = [...starts.filter((node) => !entered.has(node)), ...starts]
  for (const start of order) {
    if (state[start] !== 'new') continue
    state[start] = 'open'
    const walk = [{ node: start, next: 0 }]
    for (let here = walk.at(-1); here; here = walk.at(-1)) {
      const link = outgoing[here.node]?.[here.next++]
      if (link === undefined) {
        state[here.node] = 'done'
        walk.pop()
        continue
      }
      const { to } = links[link] as Link
      if (state[to] === 'open') isBack[link] = true
      if (state[to] !== 'new') continue
      state[to] = 'open'
      walk.push({ node: to, next: 0 })
    }
  }
  return isBack
}
