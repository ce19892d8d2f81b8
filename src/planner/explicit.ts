// The grammar that always works: `/tool key=value` and `/tool {json}`.
import type { ToolDefinition } from '../message/model-event.ts'
import type { Json } from '../json/value.ts'
import { cut } from '../json/text.ts'
import { isObject } from '../json/value.ts'
import { parseJson } from '../json/text.ts'
import { fullRoom, insertResults } from '../slot/request.ts'
import type { Known, Room } from '../slot/request.ts'
import { slotsOf } from '../slot/role.ts'
import { toType } from '../slot/slots.ts'

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
  const filling: Filling = { tool, known, room: fullRoom() }
  const input = rest.startsWith('{') ? fromJson(rest, filling) : fromSettings(rest, filling)
  return typeof input === 'string' ? input : { name: tool.name, input }
}

interface Filling {
  readonly tool: ToolDefinition
  readonly known: Known
  readonly room: Room
  /** The first text that could not be filled in. */
  lost?: string
}

const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]+/g, '_')

function insert(text: string, filling: Filling): string {
  const filled = insertResults(text, filling.known, filling.room)
  if (filled === undefined) filling.lost ??= text
  return filled ?? ''
}

const orLost = (input: ExplicitCall['input'], { lost }: Filling): ExplicitCall['input'] | string =>
  lost === undefined ? input : `There is no earlier result for ${cut(lost, 80)}, or it is too long`

function fromJson(text: string, filling: Filling): ExplicitCall['input'] | string {
  const parsed = parseJson(text)
  return parsed.ok
    ? orLost(insertDeep(parsed.value as Json, filling) as ExplicitCall['input'], filling)
    : `What follows "/${filling.tool.name}" is no JSON object`
}

function insertDeep(value: Json, filling: Filling): Json {
  if (typeof value === 'string') return insert(value, filling)
  if (Array.isArray(value)) return value.map((item: Json) => insertDeep(item, filling))
  if (!isObject(value)) return value
  const entries = Object.entries(value).filter(([key]) => key !== '__proto__')
  return Object.fromEntries(entries.map(([key, item]) => [key, insertDeep(item as Json, filling)]))
}

/** Settings first; what is left is the first parameter that must be given and is not. */
function fromSettings(text: string, filling: Filling): ExplicitCall['input'] | string {
  const { tool } = filling
  const slots = slotsOf(tool)
  const input: { [name: string]: Json } = {}
  // A name the tool does not have is left for its schema to judge.
  const assign = (name: string, raw: string): void => {
    const slot = slots.find((one) => one.name === name)
    const value = insert(unquote(raw), filling)
    input[name] = (slot && toType(slot, value)) ?? value
  }
  const reader = /\s*([A-Za-z_][\w-]*)=("(?:[^"\\]|\\.)*"|'[^']*'|\S*)/y
  let end = 0
  for (let match = reader.exec(text); match; match = reader.exec(text)) {
    end = reader.lastIndex
    if (match[1] === '__proto__') return '"__proto__" is no parameter'
    assign(match[1] ?? '', match[2] ?? '')
  }
  const rest = text.slice(end).trim()
  if (rest !== '') {
    const open = slots.find((slot) => slot.isRequired && !Object.hasOwn(input, slot.name)) ?? slots[0]
    if (!open) return `${tool.name} takes no parameters`
    assign(open.name, rest)
  }
  return orLost(input, filling)
}

function unquote(text: string): string {
  if (/^'[^']*'$/.test(text)) return text.slice(1, -1)
  return /^"(?:[^"\\]|\\.)*"$/.test(text)
    ? text.slice(1, -1).replace(/\\(.)/g, (_, letter: string) => (letter === 'n' ? '\n' : letter))
    : text
}
