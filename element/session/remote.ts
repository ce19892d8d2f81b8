// A conversation with an agent in a worker: requests go there, events come back as a stream that survives reconnects.
import type { Host } from '../../src/host/host.ts'
import { webHost } from '../../src/host/web-host.ts'
import type { Decision } from '../../src/message/decision.ts'
import type { Message } from '../../src/message/part.ts'
import { messageText } from '../../src/message/text.ts'
import { followEvents } from './event-feed.ts'
import { recordLog } from './record-log.ts'
import type { RecordLog } from './record-log.ts'
import { isRefusal, refusalError, remoteJson } from './remote-calls.ts'
import type { RemoteAddress } from './remote-calls.ts'
import type { ChatSession } from './session.ts'

export interface RemoteOptions extends RemoteAddress {
  /** An earlier session to go on with. Default: a new one, made with the first message. */
  readonly session?: string | undefined
  /** Which of the worker's models answers; asked at each message. */
  readonly model?: (() => string | undefined) | undefined
  /** Told when the worker has made the session. */
  readonly onSession?: ((session: string) => void) | undefined
}

interface Remote {
  readonly options: RemoteOptions
  readonly at: RemoteAddress & { readonly host: Host }
  readonly log: RecordLog
  readonly closing: AbortController
  session: string | undefined
  opening: Promise<void> | undefined
  seq: number
  following: boolean
  /** What the person said in earlier runs, until the events of those runs have come. */
  readonly said: string[]
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
    seq: 0,
    following: false,
    said: [],
  }
  if (remote.session !== undefined) reopen(remote, remote.session).catch((thrown: unknown) => fail(remote, thrown))
  return {
    id: options.session ?? host.id('chat_'),
    get remoteId() {
      return remote.session
    },
    open: () => opened(remote),
    records: remote.log.records,
    steers: false,
    subscribe: remote.log.subscribe,
    send: (text) => send(remote, text).catch((thrown: unknown) => fail(remote, thrown)),
    decide: (decision) => decide(remote, decision),
    stop: () => void stop(remote).catch((thrown: unknown) => fail(remote, thrown)),
    close: () => remote.closing.abort(),
  }
}

const pathOf = (remote: Remote, rest: string): string => `sessions/${encodeURIComponent(remote.session ?? '')}/${rest}`

/** Draws an earlier session: its events from the first on, with what the person said before each run. */
async function reopen(remote: Remote, session: string): Promise<void> {
  const state = await remoteJson(remote.at, `sessions/${encodeURIComponent(session)}`)
  const messages = Array.isArray(state['messages']) ? (state['messages'] as readonly Message[]) : []
  remote.said.push(...messages.filter(({ role }) => role === 'user').map(messageText))
  if (messages.length > 0 || state['status'] !== 'idle') await follow(remote)
}

/** There is a session when this resolves. */
function opened(remote: Remote): Promise<void> {
  remote.opening ??= (async () => {
    if (remote.session !== undefined) return
    const { session } = await remoteJson(remote.at, 'sessions', { method: 'POST', json: {} })
    remote.session = String(session)
    remote.options.onSession?.(remote.session)
  })().catch((thrown: unknown) => {
    // The next message tries again.
    remote.opening = undefined
    throw thrown
  })
  return remote.opening
}

async function send(remote: Remote, text: string): Promise<void> {
  const { host } = remote.at
  remote.log.add({ type: 'user', id: host.id('user_'), text })
  await opened(remote)
  const model = remote.options.model?.()
  const { after } = await remoteJson(remote.at, pathOf(remote, 'runs'), {
    method: 'POST',
    json: { input: text, ...(model === undefined ? {} : { model }) },
    headers: { 'idempotency-key': host.id('key_') },
  })
  if (typeof after === 'number') remote.seq = Math.max(remote.seq, after)
  await follow(remote)
}

/** Reads events until the run ends or waits. Only one reading at a time. */
async function follow(remote: Remote): Promise<void> {
  if (remote.following || remote.session === undefined) return
  remote.following = true
  try {
    await followEvents({
      at: remote.at,
      session: remote.session,
      after: remote.seq,
      signal: remote.closing.signal,
      onEvent: (event, seq) => {
        remote.seq = seq
        const isFresh = event.type === 'run-start' && event.resumed !== true
        const said = isFresh ? remote.said.shift() : undefined
        if (said !== undefined) remote.log.add({ type: 'user', id: `said-${seq}`, text: said })
        remote.log.add({ type: 'event', event })
      },
      onConnection: (state) => remote.log.add({ type: 'connection', state }),
    })
  } finally {
    remote.following = false
  }
}

async function decide(remote: Remote, decision: Decision): Promise<void> {
  try {
    await remoteJson(remote.at, pathOf(remote, 'decisions'), { method: 'POST', json: decision })
  } catch (thrown) {
    throw refusalError(thrown)
  }
  follow(remote).catch((thrown: unknown) => fail(remote, thrown))
}

async function stop(remote: Remote): Promise<void> {
  await remoteJson(remote.at, pathOf(remote, 'stop'), { method: 'POST', json: {} })
  await follow(remote)
}

function fail(remote: Remote, thrown: unknown): void {
  if (remote.closing.signal.aborted) return
  const { code, message } = isRefusal(thrown)
    ? thrown
    : { code: 'worker-failed', message: 'The answer of the worker could not be used' }
  remote.log.add({ type: 'failure', id: remote.at.host.id('note_'), code, message })
}
