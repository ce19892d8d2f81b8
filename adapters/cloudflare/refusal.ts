// A request that is not served, and who is told why.

/** Its status, a code for programs and a sentence for people. */
export interface Refusal {
  readonly status: number
  readonly code: string
  readonly message: string
}

/** Told what was thrown behind an answer of status 500, or behind a stream or a run that broke. Must not throw. */
export type OnError = (thrown: unknown) => void
