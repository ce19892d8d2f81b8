// What a parameter is for, told from its name and its JSON Schema.
import type { ToolDefinition } from '../message/model-event.ts'
import { isObject, own } from '../json/value.ts'
import type { JsonSchema } from '../schema/schema.ts'
import { wordsOf } from '../utterance/vocabulary.ts'

export type Role =
  | 'choice'
  | 'flag'
  | 'number'
  | 'url'
  | 'expression'
  | 'glob'
  | 'path'
  | 'command'
  | 'pattern'
  | 'find'
  | 'replace'
  | 'contents'
  | 'title'
  | 'place'
  | 'from'
  | 'to'
  | 'text'
  | 'data'

export interface Slot {
  readonly name: string
  readonly schema: JsonSchema
  readonly role: Role
  readonly isRequired: boolean
}

/** Words in the names of text parameters and what these are for, in the order they are tried. */
const named: { readonly [role in Role]?: string } = {
  url: 'url uri link href website',
  expression: 'expression formula equation math sum',
  glob: 'glob',
  command: 'command cmd',
  path: 'path file filename dir directory folder',
  find: 'find old before',
  replace: 'replace replacement new after',
  pattern: 'pattern query search regex needle term keyword keywords q',
  contents: 'content contents text body data message value description note comment details',
  place: 'city town place location country region',
  title: 'title name subject summary heading label task item',
  from: 'from source base',
  to: 'to target destination',
}

export function slotsOf(tool: ToolDefinition): readonly Slot[] {
  const properties = own(tool.inputSchema, 'properties')
  if (!isObject(properties)) return []
  const required = own(tool.inputSchema, 'required')
  const safe = Object.keys(properties).filter((name) => name !== '__proto__')
  return safe.map((name) => {
    const schema = open(own(properties, name))
    const role = roleOf(name, schema)
    const about = `${tool.name.replaceAll('_', ' ')} ${String(own(schema, 'description'))}`
    return {
      name,
      schema,
      role: role === 'pattern' && /\bglob\b/i.test(about) ? 'glob' : role,
      isRequired: Array.isArray(required) && required.includes(name),
    }
  })
}

/** A nullable type counts as what it is beside null. */
function open(schema: unknown): JsonSchema {
  if (!isObject(schema)) return {}
  const branches = own(schema, 'anyOf') ?? own(schema, 'oneOf')
  const branch = Array.isArray(branches) ? branches.find((one) => isObject(one) && one['type'] !== 'null') : undefined
  return isObject(branch) ? { ...schema, ...branch } : schema
}

function roleOf(name: string, schema: JsonSchema): Role {
  const type = ` ${[own(schema, 'type')].flat().join(' ')} `
  if (Array.isArray(own(schema, 'enum'))) return 'choice'
  if (type.includes(' boolean ')) return 'flag'
  if (/ (?:integer|number) /.test(type)) return 'number'
  if (/ (?:array|object) /.test(type)) return 'data'
  if (/^ur[il]/.test(String(own(schema, 'format')))) return 'url'
  const words = wordsOf(name)
  const found = Object.entries(named).find(([, known]) => known.split(' ').some((word) => words.includes(word)))
  return (found?.[0] ?? 'text') as Role
}
