// What the world gives us. Every clock, id, timer, request and digest in the library goes through one `Host`,
// so that a test can replace the world and two runtimes can be compared byte for byte.

/** `fetch` as a plain function: it is called without a `this`, and a method of an object must be wrapped in an arrow. */
export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>

export interface Host {
  readonly fetch: Fetch
  /** Milliseconds since the epoch. */
  now(): number
  /** A new unique id that starts with `prefix` (for example `run_`). */
  id(prefix: string): string
  /** A number from 0 (inclusive) to 1 (exclusive). */
  random(): number
  /** Calls `fire` once after `ms` milliseconds; the returned function cancels. Longer than 2^31-1 ms waits that long. */
  timer(ms: number, fire: () => void): () => void
  /** SHA-256. */
  digest(data: Uint8Array): Promise<Uint8Array>
  /** HMAC with SHA-256. */
  hmac(key: Uint8Array, data: Uint8Array): Promise<Uint8Array>
}
