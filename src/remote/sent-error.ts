// Errors that cross to another thread: code, words and facts of ours, and of nobody else's more than may be shown.
import type { ErrorCode } from '../error/codes.ts'
import { describeThrown } from '../error/describe.ts'
import { isSameloopError, SameloopError } from '../error/error.ts'
import { cut, plainJson } from '../json/text.ts'
import { isObject, own } from '../json/value.ts'
import { isErrno, vfsError } from '../vfs/error.ts'

/** Structured-cloneable. */
export type SentError =
  | { readonly errno: string; readonly path: string; readonly action: string; readonly reason: string }
  | { readonly code: string; readonly message: string; readonly data: unknown; readonly retryable: boolean }
  | { readonly message: string }

const maxWords = 4096
const words = (value: unknown, otherwise: string): string =>
  typeof value === 'string' ? cut(value, maxWords) : otherwise

export function sentError(error: unknown): SentError {
  if (!isSameloopError(error)) return { message: words(describeThrown(error), '') }
  const { code, message, data, retryable } = error
  const { errno, path, action, reason } = data
  if (isErrno(errno))
    return { errno, path: words(path, ''), action: words(action, 'use'), reason: words(reason, 'it failed') }
  return { code, message: words(message, ''), data: plainJson(data), retryable }
}

/** The error that was sent, whoever sent it: anything gives an error that can be read. */
export function receivedError(value: unknown): Error {
  const errno = own(value, 'errno')
  const message = words(own(value, 'message'), 'Unknown error')
  if (isErrno(errno)) {
    const reason = words(own(value, 'reason'), 'it failed')
    return vfsError(errno, words(own(value, 'path'), '/'), { action: words(own(value, 'action'), 'use'), reason })
  }
  const code = own(value, 'code')
  if (typeof code !== 'string' || !/^[a-z]{2,12}(-[a-z]{2,14}){1,5}$/.test(code)) return new Error(message)
  const data = own(value, 'data')
  return new SameloopError(code as ErrorCode, message, {
    data: isObject(data) ? data : {},
    retryable: own(value, 'retryable') === true,
  })
}
