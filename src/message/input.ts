// Checks what a caller hands in as the conversation, before anything runs.
import { SameloopError } from '../error/error.ts'
import type { Message, Part } from './part.ts'

export type RunInput = string | readonly Message[]

const roles = new Set(['system', 'user', 'assistant', 'tool'])

const required: Readonly<Record<Part['type'], readonly (readonly [string, string])[]>> = {
  text: [['text', 'string']],
  json: [['value', 'json']],
  reasoning: [['text', 'string']],
  file: [['mediaType', 'string']],
  source: [],
  'tool-call': [
    ['callId', 'string'],
    ['name', 'string'],
    ['input', 'json'],
  ],
  'tool-result': [
    ['callId', 'string'],
    ['name', 'string'],
    ['ok', 'boolean'],
    ['content', 'array'],
  ],
}

const invalid = (where: string, wanted: string, got: unknown): SameloopError =>
  new SameloopError('run-invalid-input', `Invalid input at ${where}: wanted ${wanted}, got ${kind(got)}`)

const kind = (value: unknown): string => {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 40))
  return typeof value
}

/** The messages of a string or of a list; throws `run-invalid-input`, which names the place. */
export function inputMessages(input: RunInput): readonly Message[] {
  if (typeof input === 'string') return [{ role: 'user', content: [{ type: 'text', text: input }] }]
  if (!Array.isArray(input)) throw invalid('the top', 'a string or a list of messages', input)
  input.forEach((message, index) => checkMessage(message, `messages[${index}]`))
  return input
}

/** Throws `run-invalid-input` unless `value` is a message. */
export function checkMessage(value: unknown, where: string): asserts value is Message {
  const message = value as Partial<Message> | null
  if (typeof message !== 'object' || message === null) throw invalid(where, 'a message', value)
  if (!roles.has(message.role as string)) throw invalid(`${where}.role`, '"system", "user", "assistant" or "tool"', message.role)
  if (!Array.isArray(message.content)) throw invalid(`${where}.content`, 'a list of parts', message.content)
  message.content.forEach((part: unknown, index: number) => checkPart(part, `${where}.content[${index}]`))
}

function checkPart(value: unknown, where: string): void {
  if (typeof value !== 'object' || value === null) throw invalid(where, 'a part', value)
  const part = value as Record<string, unknown>
  const type = part['type']
  if (typeof type !== 'string' || !Object.hasOwn(required, type)) throw invalid(`${where}.type`, 'a part type', type)
  for (const [field, wanted] of required[type as Part['type']]) {
    const got = part[field]
    const fits = wanted === 'array' ? Array.isArray(got) : wanted === 'json' ? got !== undefined : typeof got === wanted
    if (!fits) throw invalid(`${where}.${field}`, wanted === 'json' ? 'a JSON value' : `a ${wanted}`, got)
  }
}
