// The grammar that always works: `/tool key=value` and `/tool {json}`.
import type { ToolDefinition } from '../message/model-event.ts'
import type { Json } from '../message/part.ts'
import { isObject } from '../schema/json.ts'
import { insertResults } from './request.ts'
import type { Known } from './request.ts'
import { slotsOf } from './role.ts'
import type { Slot } from './role.ts'
import { toType } from './slots.ts'

export interface ExplicitCall {
  readonly name: string
  readonly input: { readonly [name: string]: Json }
}

/** The call a text spells out, a text that says what is wrong with it, or `undefined` where it is no such command. */
export function readExplicit(
  text: string,
  tools: readonly ToolDefinition[],
  known: Known,
): ExplicitCall | string | undefined {
  const match = /^\/([\w.-]+)(?:\s+([^]*))?$/.exec(text)
  if (!match) return undefined
  const [, name = '', rest = ''] = match
  const tool = tools.find((one) => one.name === name) ?? tools.find((one) => plain(one.name) === plain(name))
  if (!tool) return `There is no tool "${name}"`
  return rest.trimStart().startsWith('{') ? fromJson(tool, rest, known) : fromSettings(tool, rest, known)
}

const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]+/g, '_')

function fromJson(tool: ToolDefinition, text: string, known: Known): ExplicitCall | string {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return `What follows "/${tool.name}" is no JSON object`
  }
  const lost: string[] = []
  const input = insertDeep(value as Json, known, lost)
  if (lost.length > 0) return `There is no earlier result for ${lost[0]}`
  return isObject(input)
    ? { name: tool.name, input: input as ExplicitCall['input'] }
    : `What follows "/${tool.name}" is no JSON object`
}

function insertDeep(value: Json, known: Known, lost: string[]): Json {
  if (typeof value === 'string') {
    const text = insertResults(value, known)
    if (text === undefined) lost.push(value)
    return text ?? ''
  }
  if (Array.isArray(value)) return value.map((item: Json) => insertDeep(item, known, lost))
  if (!isObject(value)) return value
  const entries = Object.entries(value).filter(([key]) => key !== '__proto__')
  return Object.fromEntries(entries.map(([key, item]) => [key, insertDeep(item as Json, known, lost)]))
}

const setting = /\s*([A-Za-z_][\w-]*)=("(?:[^"\\]|\\.)*"|'[^']*'|\S*)/y

function fromSettings(tool: ToolDefinition, text: string, known: Known): ExplicitCall | string {
  const slots = slotsOf(tool)
  const input: { [name: string]: Json } = {}
  const reader = new RegExp(setting)
  let end = 0
  for (let match = reader.exec(text); match; match = reader.exec(text)) {
    end = reader.lastIndex
    const [, name = '', raw = ''] = match
    const problem = assign(input, slots.find((slot) => slot.name === name) ?? name, unquote(raw), known)
    if (problem !== undefined) return problem
  }
  const rest = text.slice(end).trim()
  const open = slots.find((slot) => slot.isRequired && !Object.hasOwn(input, slot.name)) ?? slots[0]
  if (rest === '') return { name: tool.name, input }
  return (
    (open ? assign(input, open, unquote(rest), known) : `${tool.name} takes no parameters`) ?? {
      name: tool.name,
      input,
    }
  )
}

function unquote(text: string): string {
  if (/^'[^']*'$/.test(text)) return text.slice(1, -1)
  return /^"(?:[^"\\]|\\.)*"$/.test(text)
    ? text.slice(1, -1).replace(/\\(.)/g, (_, letter: string) => (letter === 'n' ? '\n' : letter))
    : text
}

/** Sets one parameter, or says why not. A name the tool does not have is left for its schema to judge. */
function assign(input: { [name: string]: Json }, slot: Slot | string, text: string, known: Known): string | undefined {
  const whole = insertResults(text, known)
  if (whole === undefined) return `There is no earlier result for ${text}`
  const name = typeof slot === 'string' ? slot : slot.name
  if (name === '__proto__') return '"__proto__" is no parameter'
  input[name] = (typeof slot === 'string' ? undefined : toType(slot, whole)) ?? whole
  return undefined
}
