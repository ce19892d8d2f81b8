// How much of a page a reader gives of what is wanted, and of what is not: ours, and the usual pair of libraries.
import { pathToFileURL } from 'node:url'
import { mainBlocks } from '../../src/markup/article.ts'
import { joined } from '../../src/markup/block.ts'
import { pageReader } from '../../src/markup/page.ts'
import { peer } from '../peers/peers.ts'
import type { TestPage } from './pages.ts'

export type Reader = (html: string) => string

const url = 'https://site.example/page'

export const ours: Reader = (html) => {
  const reader = pageReader({ url })
  reader.write(html)
  return joined(mainBlocks(reader.end()))
}

interface Article {
  readonly content?: string | null
}

/** Readability chooses, Turndown writes, over the document tree of linkedom; undefined where they are not installed. */
export async function peers(): Promise<Reader | undefined> {
  const files = ['linkedom/esm/index.js', '@mozilla/readability/index.js', 'turndown/lib/turndown.cjs.js'].map(peer)
  if (files.some((file) => file === undefined)) return undefined
  const [dom, readability, turndown] = (await Promise.all(
    files.map((file) => import(pathToFileURL(file!).href) as Promise<unknown>),
  )) as [
    { parseHTML(html: string): { document: { body?: { innerHTML: string } } } },
    { Readability: new (document: unknown) => { parse(): Article | null } },
    { default: new (options: object) => { turndown(node: unknown): string } },
  ]
  const writer = new turndown.default({ headingStyle: 'atx', codeBlockStyle: 'fenced' })
  return (html) => {
    const { document } = dom.parseHTML(html)
    const whole = document.body?.innerHTML ?? ''
    const { content } = new readability.Readability(document).parse() ?? {}
    const { document: chosen } = dom.parseHTML(`<!doctype html><html><body>${content ?? whole}</body></html>`)
    return writer.turndown(chosen.body)
  }
}

export interface Score {
  readonly kept: number
  readonly wanted: number
  readonly dropped: number
  readonly unwanted: number
  readonly missing: readonly string[]
  readonly left: readonly string[]
}

/** Words in order, so that marks, cells and escapes count for nothing. */
const bare = (text: string): string =>
  text
    .replace(/\]\([^)]*\)/g, ' ')
    .replace(/[^\p{L}\p{N}<]+/gu, ' ')
    .trim()

export function score({ html, keep, drop }: TestPage, reader: Reader): Score {
  let text = ''
  try {
    text = reader(html)
  } catch {
    // It gives nothing.
  }
  const words = ` ${bare(text)} `
  const has = (said: string): boolean =>
    said.startsWith('https:') ? text.includes(said) : words.includes(` ${bare(said)} `)
  const missing = keep.filter((said) => !has(said))
  const left = drop.filter(has)
  return {
    kept: keep.length - missing.length,
    wanted: keep.length,
    dropped: drop.length - left.length,
    unwanted: drop.length,
    missing,
    left,
  }
}
