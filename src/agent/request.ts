// What the model is asked in a step: instructions, transcript, tools, settings.
import type { ToolDefinition } from '../message/model-event.ts'
import type { Json } from '../message/part.ts'
import type { Model, ModelRequest } from '../model/model.ts'
import { allTools, definitions } from '../registry/table.ts'
import type { StepChanges } from './options.ts'
import { stepState } from './state.ts'
import type { AgentState, Filtered } from './state.ts'

/** Also sets the tools of the step. With `isFinal` the model may not call any. */
export async function prepareRequest(state: AgentState, isFinal: boolean): Promise<{ readonly model: Model; readonly request: ModelRequest }> {
  const { options, output } = state.setup
  const { prepareStep, instructions } = options
  const changes: StepChanges = (prepareStep === undefined ? undefined : await prepareStep(stepState(state))) ?? {}
  const told = changes.instructions ?? (typeof instructions === 'function' ? await instructions(stepState(state)) : instructions)
  const { definitions: tools, tools: byName } = stepTools(state, changes.activeTools)
  state.tools = byName
  const settings = changes.settings === undefined ? state.settings : { ...state.settings, ...changes.settings }
  return {
    model: changes.model ?? options.model,
    request: {
      messages: state.messages,
      instructions: told,
      tools,
      settings: isFinal ? { ...settings, toolChoice: 'none' } : settings,
      output: output?.json as { readonly [key: string]: Json | undefined } | undefined,
    },
  }
}

/** The advertised tools, and those a call may find: what policy hides is still found, so that its rule says why not. */
function stepTools(state: AgentState, active: readonly string[] | undefined): Pick<Filtered, 'definitions' | 'tools'> {
  const { table, setup, filtered } = state
  const all = definitions(table)
  const entries = allTools(table)
  const { policy } = setup.options
  const filters = setup.middleware.flatMap((one) => one.definitions ?? [])
  if (active === undefined && policy === undefined && filters.length === 0) return { definitions: all, tools: entries }
  const key = active === undefined ? '' : active.join('\n')
  if (filters.length === 0 && filtered?.from === all && filtered.key === key) return filtered
  const isActive = (name: string): boolean => {
    const registered = entries.get(name)?.name
    return active === undefined || active.includes(name) || (registered !== undefined && active.includes(registered))
  }
  const isAdvertised = ({ name }: ToolDefinition): boolean => policy?.advertises(entries.get(name)?.name ?? name, entries.get(name)?.uri ?? '') ?? true
  const chosen = all.filter(({ name }) => isActive(name))
  const kept = filters.reduce<readonly ToolDefinition[]>((list, filter) => filter(list), chosen)
  const names = new Set(kept.map(({ name }) => name))
  const tools = new Map([...entries].filter(([name]) => names.has(name)))
  return (state.filtered = same(filtered, { from: all, key, definitions: kept.filter(isAdvertised), tools }))
}

/** The earlier object where nothing changed: its array is what a dialect's cache knows. */
function same(earlier: Filtered | undefined, next: Filtered): Filtered {
  const isSame =
    earlier !== undefined &&
    earlier.definitions.length === next.definitions.length &&
    earlier.definitions.every((one, index) => one === next.definitions[index]) &&
    earlier.tools.size === next.tools.size
  return isSame ? { ...next, definitions: earlier.definitions } : next
}
