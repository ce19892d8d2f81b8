// A remote session before a made-up worker, for tests.
import { remoteSession } from '../../element/session/remote.ts'
import type { RemoteOptions, RemoteSession } from '../../element/session/remote.ts'
import type { ChatRecord } from '../../element/session/session.ts'
import { settle, testHost } from '../host.ts'
import type { TestHost } from '../host.ts'
import { runRecords } from './events.ts'

export const json = (value: unknown, status = 200): Response => Response.json(value, { status })

export const plainRun = (run: string, text: string): readonly ChatRecord[] =>
  runRecords(run, [
    { type: 'run-start', model: 'm' },
    { type: 'text-start', step: 1, id: 't' },
    { type: 'text-delta', step: 1, id: 't', delta: text },
    { type: 'run-end', status: 'done', stop: 'end' },
  ])

export type Serve = (method: string, path: string, init: RequestInit) => Response | Promise<Response>

export interface Open {
  readonly session: RemoteSession
  readonly host: TestHost
  readonly asked: readonly string[]
}

export function open(serve: Serve, options: Partial<RemoteOptions> & { readonly auto?: boolean } = {}): Open {
  const { auto = false, ...more } = options
  const asked: string[] = []
  const host = testHost({
    fetch: async (input, init = {}) => {
      const { pathname, search } = new URL(String(input), 'http://worker.test')
      const method = init.method ?? 'GET'
      asked.push(`${method} ${pathname}${search}`)
      return serve(method, pathname + search, init as RequestInit)
    },
  })
  // Pauses are over at once; how long it waits for an answer or for a sign of life is only over where a test says so.
  const timer: TestHost['timer'] = (ms, fire) => {
    if (!auto || ms > 20_000) return host.timer(ms, fire)
    const pause = setTimeout(fire, 0)
    return () => clearTimeout(pause)
  }
  const session = remoteSession({ url: 'http://worker.test/', host: { ...host, timer }, ...more })
  return { session, host, asked }
}

export const typesOf = (session: RemoteSession): readonly string[] =>
  session.records.map((record) => (record.type === 'event' ? record.event.type : record.type))

export const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn++) await settle()
}
