// Puts the real thing where a model wrote its placeholder, although a stream may cut it anywhere.
import type { ModelEvent } from '../message/model-event.ts'
import type { ModelNext } from './middleware.ts'

/**
 * Restores text (not reasoning, which goes back to its provider as it came) and the JSON text of arguments; the beginning
 * of a placeholder is held back until it is whole.
 */
export async function* restoring(
  stream: ReturnType<ModelNext>,
  byPlaceholder: ReadonlyMap<string, string>,
): AsyncGenerator<readonly ModelEvent[]> {
  const held = new Map<string, string>()
  // What is longer is no beginning of one.
  const longest = Math.max(0, ...[...byPlaceholder.keys()].map((placeholder) => placeholder.length))
  const restored = (text: string, isJson: boolean): string =>
    text.replace(/\[[^[\]]+\]/g, (found) => {
      const real = byPlaceholder.get(found)
      if (real === undefined) return found
      return isJson ? JSON.stringify(real).slice(1, -1) : real
    })
  const take = (key: string, delta: string, isJson: boolean): string => {
    const text = (held.get(key) ?? '') + delta
    const open = text.lastIndexOf('[')
    const isOpen = open >= 0 && !text.includes(']', open) && text.length - open < longest
    held.set(key, isOpen ? text.slice(open) : '')
    return restored(isOpen ? text.slice(0, open) : text, isJson)
  }
  /** What was held back, once nothing more can come: of one block, or of all. */
  const rest = (only?: string): readonly ModelEvent[] =>
    [...held].flatMap(([key, delta]): ModelEvent[] => {
      if (only !== undefined && key !== only) return []
      held.delete(key)
      const id = key.slice(1)
      if (delta === '') return []
      return [
        key[0] === 'c' ? { type: 'tool-input-delta', index: Number(id), delta } : { type: 'text-delta', id, delta },
      ]
    })
  for await (const events of stream) {
    yield events.flatMap((event): readonly ModelEvent[] => {
      if (event.type === 'text-delta') return [{ ...event, delta: take(`t${event.id}`, event.delta, false) }]
      if (event.type === 'tool-input-delta') return [{ ...event, delta: take(`c${event.index}`, event.delta, true) }]
      if (event.type === 'text-end') return [...rest(`t${event.id}`), event]
      return event.type === 'finish' ? [...rest(), event] : [event]
    })
  }
}
