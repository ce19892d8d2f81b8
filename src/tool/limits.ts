// How far a run may go.

/** All are checked before the next model call, except `toolCalls`, which is checked before each tool call. */
export interface Limits {
  /** Model calls. Default 20. */
  readonly steps?: number | undefined
  /** Executed tool calls in all, or by tool name. Surplus calls are answered `limit` and the run stops. */
  readonly toolCalls?: number | Readonly<Record<string, number>> | undefined
  readonly tokens?: number | undefined
  readonly costUsd?: number | undefined
  /** Work time over all resumes. */
  readonly milliseconds?: number | undefined
  /** The n-th equal call with the equal result in consecutive steps is answered with a warning, the next stops. Default 3. */
  readonly repeatedCalls?: number | undefined
}
