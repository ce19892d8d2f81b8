// The one error class, and the test for it that works when two copies of the library are loaded.
import type { ErrorCode } from './codes.ts'
import { guarded } from './guard.ts'

const errorName = 'SameloopError'

export interface ErrorDetails {
  /** Facts a program may act on; never secrets, never the engine's own text. */
  readonly data?: Readonly<Record<string, unknown>> | undefined
  /** What another layer threw. Shown to the host program only: never in events, results or snapshots. */
  readonly cause?: unknown
  /** Whether the same call may succeed later. Default false. */
  readonly retryable?: boolean | undefined
}

/** Every error the library throws. `code` is one of a closed list; the message says what was wanted and what came. */
export class SameloopError extends Error {
  declare readonly code: ErrorCode
  declare readonly data: Readonly<Record<string, unknown>>
  declare readonly retryable: boolean

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details)
    this.name = errorName
    this.code = code
    this.data = details.data ?? {}
    this.retryable = details.retryable ?? false
  }

  /** An error as JSON would be without its message. */
  toJSON(): { code: ErrorCode; message: string; data: Readonly<Record<string, unknown>>; retryable: boolean } {
    return { code: this.code, message: this.message, data: this.data, retryable: this.retryable }
  }
}

/** Whether `error` is a `SameloopError` of any loaded copy of the library, and, if given, has this code. Never throws. */
export function isSameloopError(error: unknown, code?: ErrorCode): error is SameloopError {
  return guarded(() => {
    const { name, code: found } = error as SameloopError
    return name === errorName && (code ?? found) === found
  }, false)
}
