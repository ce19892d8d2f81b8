// Puts a model's calls right before anything looks at them: names of another vendor, arguments in a fence.
import type { ModelEvent } from '../message/model-event.ts'
import type { ToolDefinition } from '../message/model-event.ts'
import type { Middleware } from './middleware.ts'

/** A call as the model wrote it. */
export interface WrittenCall {
  readonly name: string
  /** The text of the arguments, not parsed. */
  readonly text: string
}

/** Answers a call that is better, or the same. It sees one call at a time, and the tools of the step. */
export type PatchCall = (call: WrittenCall, tools: readonly ToolDefinition[]) => WrittenCall

/**
 * Patches each call of a model before it is parsed and checked; what is patched is what the transcript holds. The text of
 * a call is shown when it is whole, not piece by piece. Without a function: names by their letters and digits alone
 * (`getWeather` is `get_weather`), and arguments out of a code fence.
 */
export function patchToolCalls(patch: PatchCall = patchUsual): Middleware {
  return {
    name: 'patch-tool-calls',
    async *model(request, next) {
      const open = new Map<number, { start: Extract<ModelEvent, { type: 'tool-input-start' }>; text: string }>()
      const closed = (): readonly ModelEvent[] => {
        const events = [...open.values()].flatMap(({ start, text }): ModelEvent[] => {
          const { name, text: delta } = patch({ name: start.name, text }, request.tools)
          return [
            { ...start, name },
            { type: 'tool-input-delta', index: start.index, delta },
          ]
        })
        open.clear()
        return events
      }
      for await (const events of next(request)) {
        const passed: ModelEvent[] = []
        for (const event of events) {
          const known = 'index' in event ? open.get(event.index) : undefined
          if (event.type === 'tool-input-start' && !event.providerExecuted) {
            open.set(event.index, { start: { ...known?.start, ...event }, text: known?.text ?? '' })
          } else if (event.type === 'tool-input-delta' && known) known.text += event.delta
          else if (event.type === 'finish') passed.push(...closed(), event)
          else passed.push(event)
        }
        if (passed.length > 0) yield passed
      }
    },
  }
}

const letters = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '')

function patchUsual({ name, text }: WrittenCall, tools: readonly ToolDefinition[]): WrittenCall {
  const isKnown = tools.some((tool) => tool.name === name)
  const wanted = letters(name)
  const alike = wanted === '' ? [] : tools.filter((tool) => letters(tool.name) === wanted)
  return {
    name: !isKnown && alike.length === 1 ? (alike[0]?.name ?? name) : name,
    text: unfenced(text.trim()) ?? text,
  }
}

/** By hand, as an expression would try every line break of a fence that never ends. */
function unfenced(text: string): string | undefined {
  if (!text.startsWith('```') || !text.endsWith('```')) return undefined
  const start = text.indexOf('\n')
  const mark = text.slice(3, Math.max(start, 3)).trim()
  return start > 0 && (mark === '' || mark === 'json') ? text.slice(start + 1, -3).trim() : undefined
}
