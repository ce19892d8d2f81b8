// The main part of a page, told by how much text its parts hold, how much of that is links, and what they are called.
import type { Block, Container, Page } from './block.ts'

/** A block that says as much as a sentence or two, and does not only lead elsewhere. */
const isSpeaking = ({ kind, weight, linked }: Block): boolean =>
  kind !== 'heading' && kind !== 'rule' && weight >= 80 && linked < weight / 2

const isLinks = (blocks: readonly Block[]): boolean =>
  weightOf(blocks) > 0 && blocks.reduce((sum, { linked }) => sum + linked, 0) > weightOf(blocks) / 2

/** Less text than this is no article: the page is then shown whole, but for what covers or steers it. */
const leastWeight = 200

/**
 * The blocks of the main part: of `main` or `article` elements where they hold enough of the text, else of the smallest
 * part that holds nearly all of it; without navigation, banners and advertising, and without links at both ends.
 */
export function mainBlocks({ blocks: all, containers }: Page): readonly Block[] {
  const covers = inherited(containers, (at) => containers[at]!.aside === 'surely')
  const uncovered = all.filter(({ container }) => !covers[container])
  const blocks = uncovered.length > 0 ? uncovered : all
  const speaking = weights(containers, blocks)
  // What is called an aside is none where it holds much of the text.
  const asides = inherited(
    containers,
    (at) => containers[at]!.aside === 'likely' && speaking[at]! <= 0.4 * speaking[0]!,
  )
  const open = blocks.filter(({ container }) => !asides[container])
  const roots = rootsOf(containers, weights(containers, open))
  const inside = inherited(containers, (at) => roots.has(at))
  const chosen = trimmed(open.filter(({ container }) => inside[container]))
  return weightOf(chosen) >= Math.min(leastWeight, weightOf(blocks) / 2) ? chosen : blocks
}

const weightOf = (blocks: readonly Block[]): number => blocks.reduce((sum, { weight }) => sum + weight, 0)

/** The weight of speaking blocks in each container, all it holds included. A container comes after the one around it. */
function weights(containers: readonly Container[], blocks: readonly Block[]): readonly number[] {
  const sums = containers.map(() => 0)
  for (const block of blocks) if (isSpeaking(block)) sums[block.container]! += block.weight
  for (let at = containers.length - 1; at > 0; at--) sums[containers[at]!.parent]! += sums[at]!
  return sums
}

/** For each container whether it, or one around it, is meant. */
function inherited(containers: readonly Container[], isMeant: (at: number) => boolean): readonly boolean[] {
  const found: boolean[] = []
  containers.forEach(({ parent }, at) => found.push((found[parent] ?? false) || isMeant(at)))
  return found
}

function rootsOf(containers: readonly Container[], kept: readonly number[]): ReadonlySet<number> {
  const total = kept[0]!
  const named = (name: string): readonly number[] =>
    containers.flatMap((container, at) => (container.name === name ? [at] : []))
  const main = heaviest(named('main'), kept)
  const inMain = main === undefined ? undefined : inherited(containers, (at) => at === main)
  const holdsMuch = main !== undefined && kept[main]! >= 0.3 * total
  const inArticle = inherited(containers, (at) => containers[at]!.name === 'article')
  const articles = named('article').filter(
    (at) => !inArticle[containers[at]!.parent] && (!holdsMuch || inMain?.[at] === true),
  )
  const sum = articles.reduce((weight, at) => weight + kept[at]!, 0)
  const article = heaviest(articles, kept)
  const around = holdsMuch ? kept[main]! : total
  if (article !== undefined && kept[article]! >= 0.6 * around) return new Set([article])
  if (holdsMuch) return new Set([main])
  if (articles.length > 0 && sum >= 0.5 * total) return new Set(articles)
  return new Set([smallest(kept)])
}

const heaviest = (places: readonly number[], kept: readonly number[]): number | undefined =>
  places.length === 0 ? undefined : places.reduce((best, at) => (kept[at]! > kept[best]! ? at : best))

/** The innermost container that holds nearly all: those that do contain each other, and the inner ones come later. */
function smallest(kept: readonly number[]): number {
  if (kept[0] === 0) return 0
  return lastOf(kept, (weight) => weight >= 0.85 * kept[0]!)
}

/** Without links before the first sentence and after the last one, nor headings that lead to nothing but these. */
function trimmed(blocks: readonly Block[]): readonly Block[] {
  const first = blocks.findIndex(isSpeaking)
  if (first < 0) return blocks
  const last = lastOf(blocks, isSpeaking)
  const tail = withoutLinks(blocks.slice(last + 1))
  return [
    ...withoutLinks(blocks.slice(0, first)),
    ...blocks.slice(first, last + 1),
    ...tail.slice(0, lastOf(tail, ({ kind }) => kind !== 'heading' && kind !== 'rule') + 1),
  ]
}

/** A list is judged as a whole. */
function withoutLinks(blocks: readonly Block[]): readonly Block[] {
  const groups: Block[][] = []
  for (const block of blocks) {
    if (block.isTight && groups.length > 0) groups.at(-1)!.push(block)
    else groups.push([block])
  }
  return groups.filter((group) => group[0]!.kind === 'heading' || !isLinks(group)).flat()
}

function lastOf<Item>(items: readonly Item[], test: (item: Item) => boolean): number {
  let at = items.length - 1
  while (at >= 0 && !test(items[at]!)) at--
  return at
}
