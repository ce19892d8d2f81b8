// The conversations of this tab: made here or at the worker, shown one at a time.
import { signal } from '@preact/signals'
import type { Signal } from '@preact/signals'
import { localSession, remoteSession } from '../../element/index.ts'
import type { ChatRecord, ChatSession, SavedChat } from '../../element/index.ts'
import type { Agent, Hooks, Vfs } from '../../src/index.ts'
import { memoryFiles } from '../../src/vfs/memory.ts'
import { fileMarks, localFiles, remoteFiles } from './files.ts'
import type { Files, Listing, Mark } from './files.ts'
import { keepChat, keptFiles, unpackedFiles } from './kept.ts'
import type { KeptChat } from './kept.ts'
import { choice, workerModel } from './settings.ts'
import { seedFiles } from './workspace.ts'
import { workerAddress } from './worker.ts'

export type Place = 'here' | 'worker'

export interface OpenChat {
  readonly id: string
  readonly place: Place
  readonly session: ChatSession
  readonly files: Files
  readonly title: Signal<string>
  readonly listed: Signal<Listing>
  readonly marks: Signal<ReadonlyMap<string, Mark>>
  /** The versions of the files when the conversation began. */
  readonly before: Map<string, string>
  readonly state: Signal<'idle' | 'working' | 'waiting'>
  /** What of it would not survive a reload. */
  readonly unkept: Signal<string>
  /** Why the files cannot be shown. */
  readonly trouble: Signal<string>
}

/** A conversation in this page, new or kept. */
export function localChat(kept?: KeptChat): OpenChat {
  const files = kept?.files === undefined ? seedFiles : unpackedFiles(kept.files)
  const fs = memoryFiles({ files })
  const session = localSession({
    agent: agents(fs),
    ...(kept?.chat === undefined ? {} : { saved: kept.chat }),
    onSave: (saved) => void keepLocal(chat, fs, saved),
  })
  const chat = openChat({ place: 'here', session, files: localFiles(fs), kept })
  void seedVersions(chat, fs).then(() => refreshFiles(chat))
  return chat
}

/** One agent for each model: the same one keeps what was approved for the session. */
function agents(fs: Vfs): (hooks: Hooks) => Promise<Agent> {
  let made: { readonly by: unknown; readonly agent: Agent } | undefined
  return async (hooks) => {
    const { pageAgent } = await import('./engine.ts')
    const by = choice.peek()
    if (made?.by !== by) made = { by, agent: pageAgent(by, fs, hooks) }
    return made.agent
  }
}

/** What is as it was seeded counts as unchanged, also after a reload. */
async function seedVersions(chat: OpenChat, fs: Vfs): Promise<void> {
  for (const [path, text] of Object.entries(seedFiles)) {
    const stat = await fs.stat(path)
    const same = stat !== undefined && new TextDecoder().decode(await fs.read(path)) === text
    chat.before.set(path, same ? (stat.etag ?? '') : 'seed')
  }
}

const saves = new WeakMap<OpenChat, SavedChat>()

async function keepLocal(chat: OpenChat, fs: Vfs, saved: SavedChat): Promise<void> {
  saves.set(chat, saved)
  const files = await keptFiles(fs)
  // A newer one came while the files were read.
  if (saves.get(chat) !== saved) return
  const isKept = keepChat({
    version: 1,
    id: chat.id,
    place: 'here',
    title: chat.title.peek(),
    at: Date.now(),
    chat: saved,
    ...(files === undefined ? {} : { files }),
  })
  if (!isKept) chat.unkept.value = 'Too long to survive a reload of the page'
  else chat.unkept.value = files === undefined ? 'The files are too large to survive a reload' : ''
}

/** A conversation at the worker, new or kept. `onRenew` is told its id where the worker does not know it any more. */
export function workerChat(kept: KeptChat | undefined, onRenew: (id: string) => void): OpenChat {
  const at = workerAddress()
  const session = remoteSession({
    ...at,
    ...(kept?.session === undefined ? {} : { session: kept.session }),
    model: () => (workerModel.peek() === '' ? undefined : workerModel.peek()),
    onSession: () => keepRemote(),
    onRenew: () => onRenew(chat.id),
  })
  const chat = openChat({ place: 'worker', session, files: remoteFiles(at, () => session.remoteId), kept })
  const keepRemote = (): void => {
    if (session.remoteId === undefined) return
    keepChat({
      version: 1,
      id: chat.id,
      place: 'worker',
      title: chat.title.peek(),
      at: Date.now(),
      session: session.remoteId,
    })
  }
  session.subscribe((record) => record.type === 'user' && keepRemote())
  void prepareWorker(chat, session.open())
  return chat
}

/** A new session of the worker gets the same files as one of this page, unless it has its own. */
async function prepareWorker(chat: OpenChat, opened: Promise<unknown>): Promise<void> {
  try {
    await opened
    const { files: found } = await chat.files.list()
    if (found.length === 0)
      for (const [path, text] of Object.entries(seedFiles)) await chat.files.write(path, new TextEncoder().encode(text))
    const { files } = await chat.files.list()
    for (const { path, type, version } of files) if (type === 'file') chat.before.set(path, version)
    await refreshFiles(chat)
  } catch {
    chat.trouble.value = 'The files of the worker cannot be read'
  }
}

interface Made {
  readonly place: Place
  readonly session: ChatSession
  readonly files: Files
  readonly kept: KeptChat | undefined
}

function openChat({ place, session, files, kept }: Made): OpenChat {
  const chat: OpenChat = {
    id: kept?.id ?? session.id,
    place,
    session,
    files,
    title: signal(kept?.title ?? ''),
    listed: signal({ files: [], isCut: false }),
    marks: signal(new Map()),
    before: new Map(),
    state: signal('idle'),
    unkept: signal(''),
    trouble: signal(''),
  }
  for (const record of session.records) noteState(chat, record)
  session.subscribe((record) => onRecord(chat, record))
  return chat
}

const longestTitle = 80

/** Follows a conversation from afar, for the list of sessions. */
function noteState({ state }: OpenChat, record: ChatRecord): void {
  if (record.type === 'user') state.value = 'working'
  else if (record.type === 'failure' || record.type === 'dropped' || record.type === 'interrupted') state.value = 'idle'
  if (record.type !== 'event') return
  const { event } = record
  if (event.type === 'run-start' || event.type === 'approval-response') state.value = 'working'
  else if (event.type === 'approval-request') state.value = 'waiting'
  else if (event.type === 'run-end') state.value = event.status === 'suspended' ? 'waiting' : 'idle'
}

function onRecord(chat: OpenChat, record: ChatRecord): void {
  noteState(chat, record)
  if (record.type === 'user' && chat.title.peek() === '') chat.title.value = record.text.slice(0, longestTitle)
  if (record.type === 'event' && (record.event.type === 'tool-end' || record.event.type === 'run-end'))
    void refreshFiles(chat)
}

/** Lists the files anew. */
export async function refreshFiles(chat: OpenChat): Promise<void> {
  try {
    const listed = await chat.files.list()
    chat.listed.value = listed
    chat.marks.value = fileMarks(chat.before, listed)
    chat.trouble.value = ''
  } catch {
    chat.trouble.value = 'The files cannot be read'
  }
}
