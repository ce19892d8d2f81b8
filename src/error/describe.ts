// What of a thrown thing may be shown: our own words always, a tool author's words yes, the engine's words never.
import { isSameloopError } from './error.ts'

// Their messages are written by the engine and differ between runtimes, so only their names pass.
const engineErrors = new Set(['TypeError', 'SyntaxError', 'RangeError', 'ReferenceError', 'EvalError', 'URIError'])

const isDomException = (error: Error): boolean => typeof DOMException !== 'undefined' && error instanceof DOMException

/** The text about a thrown value that a model or an event may carry, the same in every engine. */
export function describeThrown(thrown: unknown): string {
  if (isSameloopError(thrown)) return thrown.message
  if (!(thrown instanceof Error)) return typeof thrown === 'string' && thrown !== '' ? thrown : 'Unknown error'
  if (engineErrors.has(thrown.name) || isDomException(thrown)) return thrown.name
  return thrown.message === '' ? thrown.name : thrown.message
}
