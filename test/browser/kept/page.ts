// A page with an agent that counts in its files. It stands still for ever where the address says so (`when`, and `at` for
// how manieth append), and goes on from the store when it is opened again. Its title says `still` or `done`.
import { browser, indexedDbFiles, indexedDbStore, opfsFiles } from '../../../adapters/browser/index.ts'
import { agent } from '../../../src/agent/agent.ts'
import { runStore } from '../../../src/journal/run-store.ts'
import { scriptedModel } from '../../../src/model/scripted-model.ts'
import { session } from '../../../src/recovery/session.ts'
import { isSameloopError } from '../../../src/error/error.ts'
import { tool } from '../../../src/tool/define.ts'
import { exists, readText, writeText } from '../../../src/vfs/text.ts'
import type { Vfs } from '../../../src/vfs/vfs.ts'

const name = 'kept'
const id = 'chat'
const parameters = new URL(location.href).searchParams
const when = parameters.get('when')
const at = Number(parameters.get('at'))

const say = (title: string, state: object): void => {
  document.querySelector('#state')!.textContent = JSON.stringify(state)
  document.title = title
  // A page around this one may not look into it.
  parent.postMessage([title, JSON.stringify(state)], '*')
}

/** Never resolves: whoever waits for it is killed. */
const still = (): Promise<never> =>
  new Promise(() => {
    say('still', {})
  })

const env = browser({ name })
let appends = 0

const store = runStore({
  ...env.store,
  append: async (...given) => {
    const isNow = (appends += 1) === at
    if (isNow && when === 'before') await still()
    await env.store.append(...given)
    if (isNow && when === 'after') await still()
  },
})

const textOf = async (files: Vfs, path: string): Promise<string> =>
  (await exists(files, path)) ? readText(files, path) : ''

const count = tool({
  name: 'count',
  description: 'Counts one further.',
  effect: 'local',
  execute: async (_, { fs }) => {
    const next = 1 + Number(await textOf(fs, '/count.txt'))
    await writeText(fs, '/count.txt', String(next))
    await writeText(fs, '/lines.txt', `${next};`, { mode: 'append' })
    if (when === 'tool' && next === 2) await still()
    return next
  },
})

/** It counts three times, whoever asked it before. */
const model = scriptedModel(
  Array.from({ length: 4 }, () => ({ messages }) => {
    const said = messages.filter(({ role }) => role === 'assistant').length
    if (when === 'model' && said === at) return still()
    return said < 3 ? { calls: [{ name: 'count', callId: `count-${said}` }] } : 'Counted'
  }),
)

async function work(): Promise<void> {
  const counting = agent({ model, tools: [count], env: { ...env, store } })
  const chat = await session({ agent: counting, store, id })
  const found = chat.status
  const begin = { new: () => chat.send('Count to three'), 'cut-off': () => chat.resume() }
  const run = found === 'new' || found === 'cut-off' ? await begin[found]() : undefined
  const error = (await run?.result)?.error
  const { status } = chat
  const results = chat.messages.filter(({ role }) => role === 'tool').length
  const [counted, lines] = [await textOf(env.fs, '/count.txt'), await textOf(env.fs, '/lines.txt')]
  const { persistent } = env.fs.capabilities
  say('done', { found, status, error: error?.message, counted, lines, results, persistent, appends })
}

/** Writes until there is no space left, and says what came of it. */
async function fill(files: Vfs): Promise<object> {
  const piece = new Uint8Array(2 ** 20)
  // Random, as browsers pack what they keep.
  for (let from = 0; from < piece.length; from += 2 ** 16) crypto.getRandomValues(piece.subarray(from, from + 2 ** 16))
  await writeText(files, '/kept', 'old')
  for (let index = 0; index < 200; index++) {
    try {
      await files.write(`/large/${index}`, piece, { parents: true })
    } catch (error) {
      const code = isSameloopError(error) ? error.code : String(error)
      return { code, kept: await readText(files, '/kept'), half: await exists(files, `/large/${index}`) }
    }
  }
  return { code: 'none' }
}

Object.assign(globalThis, {
  heldElsewhere: () => indexedDbStore({ name }).isHeldElsewhere(id),
  fillIndexedDb: () => fill(indexedDbFiles({ name: 'full' })),
  fillOpfs: () => fill(opfsFiles({ directory: 'full' })),
})

if (when !== 'never') work().catch((error: unknown) => say('done', { failure: String(error) }))
