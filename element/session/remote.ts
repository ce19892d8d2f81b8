// A conversation with an agent in a worker: requests go there, events come back as a stream that survives reconnects.
import type { Host } from '../../src/host/host.ts'
import { webHost } from '../../src/host/web-host.ts'
import type { Decision } from '../../src/message/decision.ts'
import type { RunEvent } from '../../src/message/event.ts'
import type { Message } from '../../src/message/part.ts'
import { messageText } from '../../src/message/text.ts'
import { followEvents } from './event-feed.ts'
import { recordLog } from './record-log.ts'
import type { RecordLog } from './record-log.ts'
import { isMessageList, isText } from './record-shape.ts'
import { isRefusal, refusal, refusalError, remoteJson, remoteJsonTwice } from './remote-calls.ts'
import type { RemoteAddress } from './remote-calls.ts'
import type { ChatSession } from './session.ts'

export interface RemoteOptions extends RemoteAddress {
  /** An earlier session to go on with. Default: a new one, made with the first message. */
  readonly session?: string | undefined
  /** Which of the worker's models answers; asked at each message. */
  readonly model?: (() => string | undefined) | undefined
  /** Told when the worker has made the session. */
  readonly onSession?: ((session: string) => void) | undefined
  /** Begins another conversation, where the worker does not know this one any more. Without it no card offers that. */
  readonly onRenew?: (() => void) | undefined
}

/** A message on its way: the same key with the same body starts one run, however often it is sent. */
interface Start {
  readonly text: string
  readonly json: { readonly input: string; readonly model?: string | undefined }
  readonly key: string
}

interface Remote {
  readonly options: RemoteOptions
  readonly at: RemoteAddress & { readonly host: Host }
  readonly log: RecordLog
  readonly closing: AbortController
  session: string | undefined
  opening: Promise<void> | undefined
  /** An earlier session that was not read yet. */
  isUnread: boolean
  restoring: Promise<void> | undefined
  seq: number
  following: Promise<void> | undefined
  /** There may be more after what is being followed. */
  again: boolean
  /** What was told last. */
  failed: unknown
  /** A message of which nobody knows whether the worker has it. */
  unconfirmed: Start | undefined
  /** How far the worker's clock is ahead, in milliseconds; `undefined` until an event told of it. */
  aheadMs: number | undefined
  /** Told when an event was taken in, while an earlier session is read. */
  onSeq: (() => void) | undefined
  /** What the person said in earlier runs, until the events of those runs have come. */
  readonly said: string[]
  /** How much of that was drawn. */
  shown: number
}

/** The remote session, with what only it has. */
export interface RemoteSession extends ChatSession {
  /** The session of the worker, once there is one. */
  readonly remoteId: string | undefined
  /** Makes the session before the first message, to put files there. */
  open(): Promise<void>
}

/** A conversation with the agent of a worker made from `sameloop/cloudflare`. */
export function remoteSession(options: RemoteOptions = {}): RemoteSession {
  const { host = webHost } = options
  const remote: Remote = {
    options,
    at: { ...options, host },
    log: recordLog(),
    closing: new AbortController(),
    session: options.session,
    opening: undefined,
    isUnread: options.session !== undefined,
    restoring: undefined,
    seq: 0,
    following: undefined,
    failed: undefined,
    again: false,
    unconfirmed: undefined,
    aheadMs: undefined,
    onSeq: undefined,
    said: [],
    shown: 0,
  }
  restored(remote).catch((thrown: unknown) => fail(remote, thrown))
  return {
    id: options.session ?? host.id('chat_'),
    get remoteId() {
      return remote.session
    },
    get isRestoring() {
      return remote.isUnread
    },
    open: () => opened(remote),
    records: remote.log.records,
    steers: false,
    subscribe: remote.log.subscribe,
    send: (text) => send(remote, text).catch((thrown: unknown) => fail(remote, thrown)),
    decide: (decision) => decide(remote, decision),
    stop: () => void stop(remote).catch((thrown: unknown) => fail(remote, thrown)),
    renew: options.onRenew,
    now: () => host.now() + (remote.aheadMs ?? 0),
    close: () => remote.closing.abort(),
  }
}

const isId = (value: unknown): value is string => isText(value) && value !== '' && value.length <= 1000

const pathOf = (remote: Remote, rest: string): string => `sessions/${encodeURIComponent(remote.session ?? '')}/${rest}`

/** What an earlier session holds is drawn when this resolves. What could not be read is read when it is called again. */
function restored(remote: Remote): Promise<void> {
  const { session } = remote
  if (!remote.isUnread || session === undefined) return Promise.resolve()
  remote.restoring ??= restore(remote, session)
    .then(() => void (remote.isUnread = false))
    .finally(() => (remote.restoring = undefined))
  return remote.restoring
}

/** Draws its events from the first on, with what the person said before each run; follows a run that is at work. */
async function restore(remote: Remote, session: string): Promise<void> {
  const state = await remoteJson(remote.at, `sessions/${encodeURIComponent(session)}`)
  const messages = isMessageList(state['messages']) ? (state['messages'] as readonly Message[]) : []
  const said = messages.filter(({ role }) => role === 'user').map(messageText)
  remote.said.splice(0, remote.said.length, ...said.slice(remote.shown))
  if (messages.length === 0 && state['status'] === 'idle') return
  const last = Number(state['seq'])
  let isRead = false
  await new Promise<void>((resolve, reject) => {
    remote.onSeq = () => {
      if (remote.seq < last) return
      isRead = true
      resolve()
    }
    remote.onSeq()
    follow(remote).then(resolve, (thrown: unknown) => (isRead ? fail(remote, thrown) : reject(thrown)))
  })
}

/** There is a session when this resolves. */
function opened(remote: Remote): Promise<void> {
  remote.opening ??= (async () => {
    if (remote.session !== undefined) return
    const { session } = await remoteJson(remote.at, 'sessions', { method: 'POST', json: {} })
    if (!isId(session))
      throw refusal(200, 'no-session', 'The answer names no session: there may be no worker at this address')
    remote.session = session
    remote.options.onSession?.(remote.session)
  })().catch((thrown: unknown) => {
    // The next message tries again.
    remote.opening = undefined
    throw thrown
  })
  return remote.opening
}

async function send(remote: Remote, text: string): Promise<void> {
  const add = (): void => remote.log.add({ type: 'user', id: remote.at.host.id('user_'), text })
  // What was said before stands before it.
  if (remote.isUnread) await restored(remote).finally(add)
  else add()
  await opened(remote)
  const start = remote.unconfirmed?.text === text ? remote.unconfirmed : startOf(remote, text)
  remote.unconfirmed = start
  try {
    const { run } = await remoteJsonTwice(remote.at, pathOf(remote, 'runs'), {
      method: 'POST',
      json: start.json,
      headers: { 'idempotency-key': start.key },
      signal: remote.closing.signal,
    })
    if (!isId(run)) throw refusal(200, 'no-run', 'The answer names no run: there may be no worker at this address')
  } catch (thrown) {
    const code = isRefusal(thrown) ? thrown.code : ''
    if (code !== 'unconfirmed') remote.unconfirmed = undefined
    // Whoever started it, it is shown.
    if (code === 'run-active') followBeside(remote)
    throw thrown
  }
  remote.unconfirmed = undefined
  remote.said.length = 0
  await follow(remote)
}

function startOf({ options, at }: Remote, text: string): Start {
  const model = options.model?.()
  return { text, key: at.host.id('key_'), json: { input: text, ...(model === undefined ? {} : { model }) } }
}

/** Reads events until no run is at work any more. Only one reading at a time; who comes meanwhile makes it look again. */
function follow(remote: Remote): Promise<void> {
  remote.again = true
  remote.following ??= followAll(remote).finally(() => (remote.following = undefined))
  return remote.following
}

async function followAll(remote: Remote): Promise<void> {
  while (remote.again && remote.session !== undefined) {
    remote.again = false
    await followEvents({
      at: remote.at,
      session: remote.session,
      after: remote.seq,
      signal: remote.closing.signal,
      onEvent: (event, seq) => take(remote, event, seq),
      onConnection: (state) => remote.log.add({ type: 'connection', state }),
    })
  }
}

function followBeside(remote: Remote): void {
  follow(remote).catch((thrown: unknown) => fail(remote, thrown))
}

function take(remote: Remote, event: RunEvent, seq: number): void {
  remote.seq = seq
  const isFresh = event.type === 'run-start' && event.resumed !== true
  const said = isFresh ? remote.said.shift() : undefined
  if (said !== undefined) {
    remote.shown++
    remote.log.add({ type: 'user', id: `said-${seq}`, text: said })
  }
  remote.log.add({ type: 'event', event })
  // Of an earlier event it would only tell how long ago that was. The event that was the least on its way tells best.
  if (!remote.isUnread && Number.isFinite(event.at))
    remote.aheadMs = Math.max(remote.aheadMs ?? -Infinity, event.at - remote.at.host.now())
  remote.onSeq?.()
}

async function decide(remote: Remote, decision: Decision): Promise<void> {
  try {
    await remoteJsonTwice(remote.at, pathOf(remote, 'decisions'), {
      method: 'POST',
      json: decision,
      signal: remote.closing.signal,
    })
  } catch (thrown) {
    throw refusalError(thrown)
  }
  followBeside(remote)
}

async function stop(remote: Remote): Promise<void> {
  await remoteJsonTwice(remote.at, pathOf(remote, 'stop'), { method: 'POST', json: {}, signal: remote.closing.signal })
  await follow(remote)
}

function fail(remote: Remote, thrown: unknown): void {
  // Several may wait for the same.
  const isTold = remote.failed === thrown && remote.log.records.at(-1)?.type === 'failure'
  if (remote.closing.signal.aborted || isTold) return
  remote.failed = thrown
  const { code, message } = isRefusal(thrown)
    ? thrown
    : { code: 'worker-failed', message: 'The answer of the worker could not be used' }
  remote.log.add({ type: 'failure', id: remote.at.host.id('note_'), code, message })
}
