// What of a thrown thing may be shown: our own words always, a tool author's words yes, the engine's words never.

// Their messages are written by the engine and differ between runtimes, so only their names pass.
const engineNames = /^(Type|Syntax|Range|Reference|Eval|URI)Error$/

/** The text about a thrown value that a model or an event may carry, the same in every engine. */
export function describeThrown(thrown: unknown): string {
  if (!(thrown instanceof Error)) return (typeof thrown === 'string' && thrown) || 'Unknown error'
  const { name, message } = thrown
  return thrown instanceof DOMException || engineNames.test(name) ? name : message || name
}
