// Puts what a run printed into README.md, between two marks.
import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { benchFolder } from '../library.mjs'

const file = join(benchFolder, 'README.md')
const begin = '<!-- figures -->'
const end = '<!-- /figures -->'

/** The machine, without its name. */
export const machine = () =>
  `Node ${process.versions.node}, ${process.platform} ${process.arch}, ${availableParallelism()} cores`

/** Remembers every line printed from now on; returns a function that writes them to the page. */
export function recordLines() {
  const lines = []
  const print = console.log
  console.log = (text) => {
    lines.push(text)
    print(text)
  }
  return (note) => {
    const page = readFileSync(file, 'utf8')
    const [before, rest] = page.split(begin)
    const [, after] = (rest ?? '').split(end)
    if (after === undefined) throw new Error(`Cannot write figures: README.md has no ${begin} and ${end}`)
    writeFileSync(file, `${before}${begin}\n${note}\n${lines.join('\n')}\n\n${end}${after}`)
  }
}
