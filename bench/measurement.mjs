// One measurement: a child process, and the better of several.
import { join } from 'node:path'
import { run } from '../scripts/project.mjs'
import { benchFolder } from './library.mjs'

/** Runs a task in a fresh process: its result, or `{ failure }`. */
export async function measure(task, { limitMs, heapMb } = {}) {
  const heap = heapMb === undefined ? [] : [`--max-old-space-size=${heapMb}`]
  const args = ['--expose-gc', ...heap, join(benchFolder, 'child.mjs'), JSON.stringify(task)]
  const { output } = await run(process.execPath, args, { cwd: benchFolder, limitMs })
  const line = output.split('\n').findLast((text) => text.startsWith('@@'))
  if (line !== undefined) return JSON.parse(line.slice(2))
  if (output.includes('heap out of memory')) return { failure: 'out of memory' }
  const isLate = output.includes('Ended after')
  return { failure: isLate ? `no result in ${limitMs / 1000} s` : output.trim().split('\n')[0].slice(0, 200) }
}

/** The smallest of each figure: what disturbs a measurement only ever adds to it. One failure is a failure. */
export function better(a, b) {
  if (a === undefined || b.failure !== undefined) return b
  if (a.failure !== undefined) return a
  return Object.fromEntries(Object.entries(a).map(([key, value]) => [key, smaller(value, b[key])]))
}

function smaller(a, b) {
  if (typeof a === 'number' && typeof b === 'number') return Math.min(a, b)
  return typeof a === 'object' && typeof b === 'object' && a !== null && b !== null ? better(a, b) : a
}
