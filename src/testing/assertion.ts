// A few checks with clear words, for scenarios that run where there is no test runner.
import { isSameloopError } from '../error/error.ts'
import type { ErrorCode } from '../error/codes.ts'
import { canonicalJson } from './trace.ts'

const shown = (value: unknown): string => {
  const text = typeof value === 'string' ? JSON.stringify(value) : canonicalJson(value)
  return text.length > 2000 ? `${text.slice(0, 2000)}…` : text
}

function failed(what: string, detail: string): never {
  throw new Error(`${what}: ${detail}`)
}

/** Fails unless `condition` holds. `what` says what was wanted. */
export function check(condition: unknown, what: string): void {
  if (!condition) failed('Check failed', what)
}

/** Fails unless both have the same canonical JSON. */
export function equal(actual: unknown, wanted: unknown, what = 'Values differ'): void {
  if (canonicalJson(actual) !== canonicalJson(wanted)) failed(what, `wanted ${shown(wanted)}, got ${shown(actual)}`)
}

/** Fails unless `text` contains `part`. */
export function includes(text: string, part: string, what = 'Text differs'): void {
  if (!text.includes(part)) failed(what, `wanted a text with ${shown(part)}, got ${shown(text)}`)
}

/** Fails unless `action` throws, or its promise rejects, with a `SameloopError` of this code. Returns the error. */
export async function throws(action: () => unknown, code: ErrorCode): Promise<Error> {
  try {
    await action()
  } catch (error) {
    if (isSameloopError(error, code)) return error
    const came = isSameloopError(error) ? `${error.code}: ${error.message}` : String(error)
    failed('Wrong error', `wanted "${code}", got "${came}"`)
  }
  return failed('No error', `wanted "${code}", but nothing was thrown`)
}
