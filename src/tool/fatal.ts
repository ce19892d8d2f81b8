// Ending a run from inside a tool.
import { SameloopError } from '../error/error.ts'

/**
 * `throw fatal('The account is locked')` ends the run: calls that run finish within their time, calls that did not
 * start are answered `aborted`, and messages, usage and snapshot are kept.
 */
export function fatal(reason: string, details: { readonly cause?: unknown } = {}): SameloopError {
  return new SameloopError('tool-fatal', reason, details)
}
