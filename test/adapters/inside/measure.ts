// How long file systems take, each beside memory in the same run. Printed with `--measure`, held by nobody.
import { memoryFiles } from '../../../src/vfs/memory.ts'
import type { Vfs } from '../../../src/vfs/vfs.ts'
import { say } from './report.ts'

/** Put in by the bundler. */
declare const MEASURE: boolean

const large = 50 * 1024 * 1024
const count = 200
const pathOf = (index: number): string => `/small/${index}.txt`

type Work = (files: Vfs) => Promise<unknown>

/** In this order: what comes later uses what was written. */
const works: Readonly<Record<string, Work>> = {
  '200 small writes': async (files) => {
    const bytes = new Uint8Array(100).fill(65)
    for (let index = 0; index < count; index++) await files.write(pathOf(index), bytes, { parents: true })
  },
  '200 small reads': async (files) => {
    for (let index = 0; index < count; index++) await files.read(pathOf(index))
  },
  'a listing of 200': (files) => files.list('/small'),
  'a write of 50 MB': (files) => files.write('/large', new Uint8Array(large)),
  '4 kB out of 50 MB': (files) => files.read('/large', { offset: large / 2, length: 4096 }),
  'an append to 50 MB': (files) => files.write('/large', new Uint8Array(4096), { mode: 'append' }),
}

async function timesOf(files: Vfs): Promise<readonly number[]> {
  const times: number[] = []
  for (const work of Object.values(works)) {
    const begun = performance.now()
    await work(files)
    times.push(performance.now() - begun)
  }
  await files.dispose?.()
  return times
}

const figure = (ms: number): string => (ms < 10 ? ms.toFixed(2) : ms.toFixed(0))

/** Says it of these file systems; nothing without `--measure`. What fails is said in its place. */
export async function measure(adapters: Readonly<Record<string, () => Promise<Vfs>>>): Promise<void> {
  if (!MEASURE) return
  const room = { maxBytes: 4 * large }
  const memory = await timesOf(memoryFiles(room))
  const names = Object.keys(works)
  for (const [name, make] of Object.entries(adapters)) {
    try {
      const times = await timesOf(await make())
      const parts = names.map((what, at) => {
        const [mine = 0, base = 0] = [times[at], memory[at]]
        return `${what} ${figure(mine)} ms (${figure(mine / Math.max(base, 0.01))}x memory)`
      })
      say(`${name}: ${parts.join(', ')}`)
    } catch (error) {
      say(`${name}: cannot be measured: ${String(error)}`)
    }
  }
}
