// The examples of the guides: read out of their Markdown, made into modules, run.
import { build } from 'esbuild'
import type { PluginBuild } from 'esbuild'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import { entries } from '../../scripts/entries.mjs'
import { root } from '../../scripts/project.mjs'

export interface Example {
  /** The page and the line its code begins on, `tools.md:12`. */
  readonly place: string
  readonly code: string
  readonly runs: boolean
  /** The last line of text above it, where the reason stands if it is not run. */
  readonly above: string
}

/** Every block marked `ts` or `ts no-run`. */
export function examplesOf(page: string, markdown: string): readonly Example[] {
  return Array.from(markdown.matchAll(/^```ts( no-run)?\n([\s\S]*?)^```$/gm), ({ index, 1: mark, 2: code = '' }) => {
    const before = markdown.slice(0, index)
    const place = `${page}:${before.split('\n').length + 1}`
    return { place, code, runs: mark === undefined, above: before.trimEnd().split('\n').at(-1) ?? '' }
  })
}

/** What the code says it prints, by line: `// => value` behind a statement, or alone on the lines below it. */
export function promisesOf(code: string): ReadonlyMap<number, readonly string[]> {
  const promises = new Map<number, string[]>()
  let at = 0
  for (const [index, line] of code.split('\n').entries()) {
    const [, statement = '', value] = /^(.*?)\s*\/\/ => (.*)$/.exec(line) ?? [undefined, line]
    if (statement.trim() !== '') at = index + 1
    if (value !== undefined) promises.set(at, [...(promises.get(at) ?? []), value.trim()])
  }
  return promises
}

/** The code with each promising line made to print: a `console.log` in it, or else the value of its expression. */
export function printing(code: string): string {
  const promises = promisesOf(code)
  const lines = code.split('\n').map((line, index) => {
    const at = index + 1
    if (!promises.has(at)) return line
    const statement = line.replace(/\s*\/\/ => .*$/, '')
    return statement.includes('console.log(')
      ? statement.replace('console.log(', `__print(${at}, `)
      : `__print(${at}, ${statement})`
  })
  return `export const __printed = []; const __print = (...line) => void __printed.push(line); ${lines.join('\n')}`
}

const sources: ReadonlyMap<string, string> = new Map(
  entries().map(({ key, source }) => [`sameloop${key.slice(1)}`, join(root, source)]),
)

/** For a tsconfig: `sameloop/…` as files of this checkout. */
export const paths = Object.fromEntries([...sources].map(([name, file]) => [name, [file]]))

const aliases = {
  name: 'sources',
  setup(context: PluginBuild): void {
    context.onResolve({ filter: /^sameloop/ }, ({ path }) => ({ path: sources.get(path) ?? '' }))
  },
}

let runs = 0

/** Runs the code of an example: what each line printed, in order. */
export async function run(code: string): Promise<ReadonlyMap<number, readonly string[]>> {
  // A file each, as a module runs once.
  const outfile = join(root, `.build/guide/run/${(runs += 1)}.mjs`)
  await build({
    stdin: { contents: printing(code), loader: 'ts', resolveDir: root },
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    packages: 'external',
    outfile,
    plugins: [aliases],
  })
  // Around the test runner, which would take each bundle apart anew.
  const module = `data:text/javascript,export * from '${pathToFileURL(outfile).href}'`
  const { __printed } = (await import(/* @vite-ignore */ module)) as { __printed: [number, ...unknown[]][] }
  const printed = new Map<number, string[]>()
  for (const [line, ...values] of __printed) {
    printed.set(line, [...(printed.get(line) ?? []), values.map(shown).join(' ')])
  }
  return printed
}

/** As a console shows it, on one line. */
const shown = (value: unknown): string =>
  typeof value === 'string'
    ? value.replaceAll('\n', '\\n')
    : inspect(value, { breakLength: Infinity, compact: true, depth: 9 })

/** Promised values with what was printed in the place of each that holds: `…` stands for any text. */
export function kept(promised: readonly string[], printed: readonly string[] = []): readonly string[] {
  return printed.map((text, index) => {
    const pattern = (promised[index] ?? '').split('…').map((part) => part.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&'))
    return new RegExp(`^${pattern.join('.*')}$`, 's').test(text) ? (promised[index] ?? text) : text
  })
}
