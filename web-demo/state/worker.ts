// The edge worker: whether it can be reached, what it offers, and why not.
import { signal } from '@preact/signals'
import { isRefusal, remoteJson } from '../../element/session/remote-calls.ts'
import type { RemoteAddress } from '../../element/session/remote-calls.ts'
import { webHost } from '../../src/host/web-host.ts'
import type { Host } from '../../src/host/host.ts'
import { isObject } from '../../src/json/value.ts'
import { keyOf } from './keys.ts'

export interface WorkerModel {
  readonly id: string
  readonly label: string
  readonly ai: boolean
}

export type WorkerState =
  | { readonly state: 'looking' }
  | { readonly state: 'ready'; readonly models: readonly WorkerModel[] }
  /** It is there, and wants a token that it takes. */
  | { readonly state: 'locked'; readonly why: string }
  | { readonly state: 'absent'; readonly why: string }

export const worker = signal<WorkerState>({ state: 'looking' })

/** The worker that serves this page. */
export const workerAddress = (): RemoteAddress & { readonly host: Host } => ({
  url: '',
  token: () => keyOf('worker'),
  host: webHost,
})

const patienceMs = 6000

let looking: Promise<void> | undefined

/** Asks the worker how it is; once at a time. */
export function lookForWorker(): Promise<void> {
  looking ??= look().finally(() => (looking = undefined))
  return looking
}

async function look(): Promise<void> {
  const patience = new AbortController()
  const timer = setTimeout(() => patience.abort(), patienceMs)
  try {
    const answer = await remoteJson(workerAddress(), 'health', { signal: patience.signal })
    if (answer['name'] !== 'sameloop') throw new Error('Another server')
    const models = Array.isArray(answer['models']) ? answer['models'].filter(isObject) : []
    worker.value = {
      state: 'ready',
      models: models.map(({ id, label, ai }) => ({ id: String(id), label: String(label), ai: ai !== false })),
    }
  } catch (thrown) {
    worker.value = whyNot(thrown)
  } finally {
    clearTimeout(timer)
  }
}

function whyNot(thrown: unknown): WorkerState {
  if (!isRefusal(thrown)) return { state: 'absent', why: 'no worker answers at this address' }
  if (thrown.status === 401) return { state: 'locked', why: 'it wants an access token' }
  if (thrown.status === 503) return { state: 'absent', why: 'it has no access token configured' }
  return { state: 'absent', why: thrown.status === 0 ? 'it cannot be reached' : 'this page is served without one' }
}
