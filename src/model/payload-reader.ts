// How a dialect asks a model, and how it reads what comes.
import type { ModelEvent } from '../message/model-event.ts'
import type { Wild } from '../json/wild.ts'
import type { Hot } from '../stream/json-events.ts'
import type { HttpRequest, Scrub } from './request.ts'

/** Reads the payloads of one response, and emits what they say up to `finish`. */
export interface PayloadReader {
  /** `payload` must not be kept or changed. `name` is the event's. */
  payload(payload: Wild | undefined, name: string): void
  /** Data that is no JSON; returns whether it is known. */
  text?(data: string): boolean
  /** The body ended: says `finish` if the response is whole. */
  end(): void
}

export type Emit = (event: ModelEvent) => void

export interface Dialect {
  request(): HttpRequest | Promise<HttpRequest>
  /** For each attempt; `scrub` takes the request's secrets out of what the server says about itself. */
  reader(emit: Emit, scrub: Scrub): PayloadReader
  hot?: ((payload: Wild | undefined) => Hot | undefined) | undefined
}
