// A process that is killed in the middle of its work on the disk, or is not, and says what came of it.
import { node } from '../../../../adapters/node/index.ts'
import { agent } from '../../../../src/agent/agent.ts'
import { scriptedModel } from '../../../../src/model/scripted-model.ts'
import type { ScriptedTurn } from '../../../../src/model/scripted-model.ts'
import { cow } from '../../../../src/overlay/cow.ts'
import { session } from '../../../../src/recovery/session.ts'
import { tool } from '../../../../src/tool/define.ts'
import { fileStore } from '../../../../adapters/node/store/file-store.ts'
import { readText, writeText } from '../../../../src/vfs/text.ts'
import type { Vfs } from '../../../../src/vfs/vfs.ts'
import { builtinTools } from '../../../../src/tools.ts'
import { killAt } from './kill-at.ts'

const [, , work = '', root = '', at = '0'] = process.argv

const lines = async (files: Vfs): Promise<string> => ((await files.stat('/lines')) ? readText(files, '/lines') : '')

const call = (name: string, input: object = {}) => ({ calls: [{ name, input: input as never, callId: null }] })

const turns: readonly ScriptedTurn[] = [
  call('add_line'),
  call('fs_write', { path: 'notes/one.txt', contents: 'one' }),
  call('add_line'),
  'All done',
]

/** Goes on with the conversation, or begins it. */
async function runAgent(): Promise<unknown> {
  const env = node({ root })
  const addLine = tool({
    name: 'add_line',
    description: 'Adds a line',
    effect: 'local',
    execute: async (_, { fs }) => {
      await writeText(fs, '/lines', `${await lines(fs)}line\n`)
      return 'added'
    },
  })
  const model = scriptedModel(
    Array.from(
      { length: 20 },
      () =>
        ({ messages }) =>
          turns[messages.filter(({ role }) => role === 'assistant').length] as never,
    ),
  )
  const assistant = agent({ model, env, tools: [addLine, ...builtinTools({ env })], approve: () => 'approve' })
  const talk = await session({ agent: assistant, store: env.store, id: 'talk' })
  const { status: before } = talk
  if (before !== 'done') await (before === 'new' ? await talk.send('go') : await talk.resume()).result
  return {
    before,
    status: talk.status,
    lines: await lines(env.fs),
    notes: (await env.fs.stat('/notes/one.txt')) ? await readText(env.fs, '/notes/one.txt') : '',
  }
}

/** A commit of several files, or what is there. */
async function runCommit(): Promise<unknown> {
  const isLooking = at === 'look'
  const { fs } = node({ root, files: isLooking ? {} : { '/a': 'old', '/b': 'old', '/gone/c': 'old' } })
  if (!isLooking) {
    await fs.stat('/')
    const draft = cow(fs)
    await writeText(draft, '/a', 'new')
    await writeText(draft, '/new/d', 'new', { parents: true })
    await draft.rm('/gone', { recursive: true })
    await writeText(draft, '/b', 'new')
    killAt(Number(at))
    await draft.commit()
  }
  const there = async (path: string) => ((await fs.stat(path)) ? readText(fs, path) : '')
  return Promise.all(['/a', '/b', '/gone/c', '/new/d'].map(there))
}

/** Appends for ever and says how far it came. */
async function runAppends(): Promise<unknown> {
  const store = fileStore(root)
  const { epoch, lastSeq } = await store.lease('a')
  for (let last = lastSeq; ; last += 2) {
    const records = [1, 2].map((more) => ({ seq: last + more, type: 'x', data: JSON.stringify('x'.repeat(last * 10)) }))
    const refusal = await store.append('a', records, { expectSeq: last, epoch }).then(
      () => undefined,
      ({ code }: { readonly code: string }) => code,
    )
    if (refusal) return { refusal }
    console.log(last + 2)
  }
}

if (work === 'agent') killAt(Number(at))
const works: Readonly<Record<string, () => Promise<unknown>>> = {
  agent: runAgent,
  commit: runCommit,
  appends: runAppends,
}
console.log(JSON.stringify(await works[work]?.()))
