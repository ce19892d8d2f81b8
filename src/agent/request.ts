// What the model is asked in a step: instructions, transcript, tools, settings.
import type { ToolDefinition } from '../message/model-event.ts'
import type { Model, ModelRequest } from '../model/model.ts'
import { toolList } from '../registry/table.ts'
import type { Entry } from '../registry/table.ts'
import { asksForEffects, stepState } from './state.ts'
import type { AgentState } from './state.ts'

/** Also sets the tools of the step. With `isLast` the model may not call any. */
export async function prepareRequest(
  state: AgentState,
  isLast: boolean,
): Promise<{ readonly model: Model; readonly request: ModelRequest }> {
  const { instructions, prepareStep, model } = state.options
  const changes = (await prepareStep?.(stepState(state))) ?? {}
  chooseTools(state, changes.activeTools)
  // The same object where nothing changed: it is what a dialect's cache knows.
  const settings = changes.settings ? { ...state.settings, ...changes.settings } : state.settings
  state.asksForEffects = asksForEffects(changes.model ?? model)
  return {
    model: changes.model ?? model,
    request: {
      messages: state.messages,
      instructions:
        changes.instructions ??
        (typeof instructions === 'function' ? await instructions(stepState(state)) : instructions),
      tools: state.advertised,
      settings: isLast ? { ...settings, toolChoice: 'none' } : settings,
      output: state.schema?.json as ModelRequest['output'],
    },
  }
}

/** The tools a call may find, and those the model is told: what policy hides is found, for its rule to say why not. */
export function chooseTools(state: AgentState, active?: readonly string[]): void {
  const { entries, definitions } = toolList(state.table)
  const { policy } = state.options
  const registered = (name: string): Pick<Entry, 'name' | 'uri'> => entries.get(name) ?? { name, uri: '' }
  const isActive = ({ name }: ToolDefinition): boolean =>
    active?.includes(name) !== false || active.includes(registered(name).name)
  const filters = state.middleware.flatMap((one) => one.definitions ?? [])
  const chosen = filters.reduce<readonly ToolDefinition[]>((list, filter) => filter(list), definitions.filter(isActive))
  const names = new Set(chosen.map(({ name }) => name))
  state.tools = new Map([...entries].filter(([name]) => names.has(name)))
  const advertised = chosen.filter(
    ({ name }) => policy?.advertises(registered(name).name, registered(name).uri) !== false,
  )
  // The earlier array where nothing changed: it is what a dialect's cache knows.
  const isSame =
    advertised.length === state.advertised.length && advertised.every((one, index) => one === state.advertised[index])
  if (!isSame) state.advertised = advertised
}
