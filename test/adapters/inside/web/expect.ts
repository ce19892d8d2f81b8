// What the cases of a browser expect of an error.
import { isSameloopError } from '../../../../src/error/error.ts'
import type { ErrorCode } from '../../../../src/error/codes.ts'

/** Rejects unless `work` rejects with this code, and with these words in its message. */
export async function refusal(work: Promise<unknown>, code: ErrorCode, words = ''): Promise<void> {
  const thrown = await work.then(
    () => 'it went through',
    (error: unknown) => error,
  )
  if (isSameloopError(thrown, code) && thrown.message.includes(words)) return
  throw new Error(`Wanted ${code} with "${words}", got ${String(thrown)}`, { cause: thrown })
}
