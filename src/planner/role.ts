// What a parameter is for, told from its name and its JSON Schema.
import type { ToolDefinition } from '../message/model-event.ts'
import { isObject, own } from '../schema/json.ts'
import type { JsonSchema } from '../schema/schema.ts'
import { wordsOf } from './vocabulary.ts'

export type Role =
  | 'choice'
  | 'flag'
  | 'number'
  | 'url'
  | 'expression'
  | 'glob'
  | 'path'
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

/** Names of text parameters and what they are for, in the order they are tried. */
const names: readonly (readonly [Role, RegExp])[] = [
  ['url', /^(?:url|uri|link|href|website|address url)$/],
  ['expression', /\b(?:expression|formula|equation|math|sum)\b/],
  ['glob', /\bglob\b/],
  ['path', /\b(?:path|file|filename|dir|directory|folder|file name)\b/],
  ['find', /^(?:find|old|old text|old string|search for|before)$/],
  ['replace', /^(?:replace|replacement|new|new text|new string|replace with|after)$/],
  ['pattern', /\b(?:pattern|query|search|regex|needle|term|keyword|keywords|q)\b/],
  ['contents', /^(?:contents?|text|body|data|message|value|description|note|comment|details)$/],
  ['title', /^(?:title|name|subject|summary|heading|label|task|item)$/],
  ['place', /\b(?:city|town|place|location|country|region)\b/],
  ['from', /^(?:from|source|base|from currency)$/],
  ['to', /^(?:to|target|destination|to currency)$/],
]

export function slotsOf(tool: ToolDefinition): readonly Slot[] {
  const properties = own(tool.inputSchema, 'properties')
  if (!isObject(properties)) return []
  const required = own(tool.inputSchema, 'required')
  const isGlobTool = wordsOf(tool.name).includes('glob')
  return Object.keys(properties).map((name) => {
    const property = own(properties, name)
    const schema = isObject(property) ? open(property) : {}
    const role = roleOf(wordsOf(name).join(' '), schema)
    return {
      name,
      schema,
      role:
        role === 'pattern' && (isGlobTool || /\bglob\b/i.test(String(own(schema, 'description') ?? '')))
          ? 'glob'
          : role,
      isRequired: Array.isArray(required) && required.includes(name),
    }
  })
}

/** A nullable type counts as what it is beside null. */
function open(schema: JsonSchema): JsonSchema {
  const branches = own(schema, 'anyOf') ?? own(schema, 'oneOf')
  const branch = Array.isArray(branches) ? branches.find((one) => isObject(one) && one['type'] !== 'null') : undefined
  return isObject(branch) ? { ...schema, ...branch } : schema
}

function roleOf(name: string, schema: JsonSchema): Role {
  const type = own(schema, 'type')
  const types = Array.isArray(type) ? type : [type]
  if (Array.isArray(own(schema, 'enum'))) return 'choice'
  if (types.includes('boolean')) return 'flag'
  if (types.includes('integer') || types.includes('number')) return 'number'
  if (types.includes('array') || types.includes('object')) return 'data'
  if (/^ur[il]/.test(String(own(schema, 'format') ?? ''))) return 'url'
  return names.find(([, pattern]) => pattern.test(name))?.[0] ?? 'text'
}
