// What of a thrown thing may be shown: our own words always, a tool author's words yes, the engine's words never.
import { guarded } from './guard.ts'

// Their messages are written by the engine and differ between runtimes, so only their names pass.
const engineNames = /^(Type|Syntax|Range|Reference|Eval|URI)Error$/

/** The text about a thrown value that a model or an event may carry, the same in every engine. Never throws. */
export function describeThrown(thrown: unknown): string {
  const words = guarded(() => wordsOf(thrown), undefined)
  return (typeof words === 'string' && words) || 'Unknown error'
}

/** Whatever stands where the words should: name and message may be anything, and reading them may throw. */
function wordsOf(thrown: unknown): unknown {
  if (!(thrown instanceof Error)) return thrown
  const { name, message } = thrown
  return thrown instanceof DOMException || engineNames.test(name) ? name : message || name
}
