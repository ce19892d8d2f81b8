// Real workerd: what starting a worker with a peer costs over an empty one, and the CPU of a ten-step run in it.
import { build } from 'esbuild'
import { join } from 'node:path'
import { benchFolder, entryFile } from '../library.mjs'
import { cpuMsOf, residentMbOf, workerd } from './process.mjs'

const bare = ['no_nodejs_compat', 'no_nodejs_compat_v2']

/** `flags`: what a peer needs of the runtime; ours needs nothing of Node. */
const workers = {
  drain: { source: './peers/drain.mjs', flags: bare },
  floor: { source: './peers/floor.mjs', flags: bare },
  ours: { source: './workerd/ours.mjs', flags: bare },
  ai: { source: './rivals/ai.mjs', flags: ['nodejs_compat'] },
}

const empty = 'export default { fetch: () => new Response("right") }'

/** Imports of `sameloop` go to the measured build. */
const measuredLibrary = {
  name: 'measured-library',
  setup(hooks) {
    hooks.onResolve({ filter: /^sameloop(\/|$)/ }, ({ path }) => ({
      path: entryFile(`.${path.slice('sameloop'.length)}`),
    }))
  },
}

async function bundle(peer) {
  const contents = `import { load } from '${workers[peer].source}'
import { worker } from './workerd/serve.mjs'
export default worker(load)`
  const result = await build({
    stdin: { contents, resolveDir: benchFolder },
    nodePaths: [join(benchFolder, '../node_modules')],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    mainFields: ['module', 'main'],
    conditions: ['workerd', 'worker', 'import'],
    external: ['node:*', 'cloudflare:*'],
    target: 'es2022',
    write: false,
    logLevel: 'silent',
    plugins: [measuredLibrary],
  })
  return result.outputFiles[0].text
}

/** CPU and memory of a fresh process up to its first answer, which plays nothing. */
async function started(code, flags) {
  const process = await workerd(code, flags)
  try {
    await process.ask('scenario=loop10&runs=0')
    return { cpuMs: cpuMsOf(process.pid), rssMb: residentMbOf(process.pid) }
  } finally {
    process.end()
  }
}

/** The smallest of each figure over some rounds, all codes in turn: `name` to `{ startMs, startRssMb }`. */
async function starts(codes, rounds) {
  const found = {}
  for (let round = 0; round < rounds; round++) {
    for (const [name, { code, flags }] of Object.entries(codes)) {
      const { cpuMs, rssMb } = await started(code, flags)
      const { startMs = Infinity, startRssMb = Infinity } = found[name] ?? {}
      found[name] = { startMs: Math.min(startMs, cpuMs), startRssMb: Math.min(startRssMb, rssMb) }
    }
  }
  return found
}

/** CPU of one warm run of ten steps, the smallest of some samples, and the memory after them. */
async function warm(code, flags, { runs, samples }) {
  const process = await workerd(code, flags)
  try {
    const sample = async () => {
      const before = cpuMsOf(process.pid)
      await process.ask(`scenario=loop10&runs=${runs}`)
      return (cpuMsOf(process.pid) - before) / runs
    }
    const firstRun = cpuMsOf(process.pid)
    await process.ask('scenario=loop10&runs=1')
    const coldMs = cpuMsOf(process.pid) - firstRun
    for (let round = 0; round < 6; round++) await sample()
    const found = []
    for (let round = 0; round < samples; round++) found.push(await sample())
    return { coldMs, runMs: Math.min(...found), rssMb: residentMbOf(process.pid) }
  } finally {
    process.end()
  }
}

/** Per peer: `{ startMs, startRssMb, coldMs, runMs, rssMb }`, or `{ failure }`; `empty` has only the start. */
export async function measureWorkerd(peers, quick) {
  const codes = { empty: { code: empty, flags: bare } }
  const found = {}
  const attempt = async (peer, work) => {
    try {
      await work()
    } catch (error) {
      delete codes[peer]
      found[peer] = { failure: error.message.split('\n').slice(0, 2).join(' ').slice(0, 200) }
    }
  }
  for (const peer of peers.filter((name) => Object.hasOwn(workers, name))) {
    await attempt(peer, async () => {
      codes[peer] = { code: await bundle(peer), flags: workers[peer].flags }
      await started(codes[peer].code, codes[peer].flags)
    })
  }
  Object.assign(found, await starts(codes, quick ? 4 : 9))
  for (const peer of Object.keys(codes).filter((name) => name !== 'empty')) {
    await attempt(peer, async () => {
      const { code, flags } = codes[peer]
      const how = { runs: peer === 'ai' ? 30 : 150, samples: quick ? 4 : 12 }
      Object.assign(found[peer], await warm(code, flags, how))
    })
  }
  return found
}
