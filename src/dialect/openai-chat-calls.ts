// Sorts the tool call deltas of the OpenAI chat completions dialect into calls: servers differ in what they leave out.
import type { ModelEvent } from '../message/model-event.ts'
import type { Json } from '../json/value.ts'
import { isObject } from '../json/value.ts'
import { parseJson, stringifyJson } from '../json/text.ts'
import type { Wild } from '../json/wild.ts'
import { wildText } from '../json/wild.ts'

interface Call {
  /** Ours, counted in order of appearance. */
  readonly index: number
  id: string
  name: string
  text: string
  /** `tool-input-start` was said. */
  told?: boolean
}

export interface ChatCalls {
  /** Takes one entry of `tool_calls` in; the first id and name of a call stay. */
  take(delta: Wild | undefined): void
  /** Tells the calls that never got a name, for the model must hear of them; returns how many calls there were. */
  end(): number
}

/**
 * Whether `delta` sends again all that came before. Only where appending it could give no JSON: an object cannot begin
 * after a complete token, nor may its first key's letters follow a string that the key's quote ended.
 */
function isResent(before: string, delta: string): boolean {
  if (!before || delta.charCodeAt(0) !== 123 || !delta.startsWith(before)) return false
  return before === '{' || before === '{}' || (/^\{\s*"[^\s:,}\]"]/.test(before) && !/[:[,]\s*$/.test(before))
}

export function chatCalls(provider: string, emit: (event: ModelEvent) => void): ChatCalls {
  const calls: Call[] = []
  const byIndex = new Map<unknown, Call>()

  /**
   * An index is a key, not a position; another id with a name is another call all the same. Without an index a new id
   * opens a call, and no id goes on with the last, unless that is complete and a name comes again.
   */
  const find = (index: unknown, id: string, name: string): Call | undefined => {
    const last = calls.at(-1)
    if (index !== undefined) {
      const call = byIndex.get(index)
      return id && name && call?.id && call.id !== id ? undefined : call
    }
    if (id) return calls.find((call) => call.id === id) ?? (name || last?.id ? undefined : last)
    return name && last?.name && (name !== last.name || parseJson(last.text).ok) ? undefined : last
  }

  const tell = (call: Call, extra: unknown): void => {
    const { index, id, name, text } = call
    call.told = true
    // The place where Google's server of this dialect puts the signature that it wants back.
    const providerData = extra ? { providerData: { [provider]: { extra_content: extra as Json } } } : undefined
    emit({ type: 'tool-input-start', index, callId: id || undefined, name, ...providerData })
    if (text) emit({ type: 'tool-input-delta', index, delta: text })
  }

  return {
    take(delta) {
      const said = delta?.function
      const index = delta?.index ?? undefined
      const id = wildText(delta?.id)
      const name = wildText(said?.name)
      const given = said?.arguments
      let call = find(index, id, name)
      if (!call) {
        calls.push((call = { index: calls.length, id, name, text: '' }))
        byIndex.set(index, call)
      }
      call.id ||= id
      call.name ||= name
      const whole = isObject(given) ? stringifyJson(given) : wildText(given)
      const text = isResent(call.text, whole) ? whole.slice(call.text.length) : whole
      call.text += text
      if (!call.told && call.name) tell(call, delta?.extra_content)
      else if (text && call.told) emit({ type: 'tool-input-delta', index: call.index, delta: text })
    },
    end() {
      for (const call of calls) if (!call.told) tell(call, undefined)
      return calls.length
    },
  }
}
