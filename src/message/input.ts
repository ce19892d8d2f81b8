// Checks what a caller hands in as the conversation, before anything runs.
import { SameloopError } from '../error/error.ts'
import type { Message, Part } from './part.ts'

export type RunInput = string | readonly Message[]

type Kind = 'string' | 'boolean' | 'JSON value' | 'list'

const roles: readonly unknown[] = ['system', 'user', 'assistant', 'tool']

const call: Readonly<Record<string, Kind>> = { callId: 'string', name: 'string' }

/** What a part must have, by its type. */
const fields: Readonly<Record<Part['type'], Readonly<Record<string, Kind>>>> = {
  text: { text: 'string' },
  json: { value: 'JSON value' },
  reasoning: { text: 'string' },
  file: { mediaType: 'string' },
  source: {},
  'tool-call': { ...call, input: 'JSON value' },
  'tool-result': { ...call, ok: 'boolean', content: 'list' },
}

/** The messages of a string or of a list; throws `run-invalid-input`, which names the place. */
export function inputMessages(input: RunInput): readonly Message[] {
  if (typeof input === 'string') return [{ role: 'user', content: [{ type: 'text', text: input }] }]
  demand(Array.isArray(input), 'input', 'a string or a list of messages', input)
  input.forEach((message, index) => checkMessage(message, `messages[${index}]`))
  return input
}

/** Throws `run-invalid-input` unless `value` is a message. */
export function checkMessage(value: unknown, where: string): void {
  const message = value as Partial<Message> | null | undefined
  demand(roles.includes(message?.role), `${where}.role`, roles.join(', '), message?.role)
  const content = message?.content
  demand(Array.isArray(content), `${where}.content`, 'a list of parts', content)
  content?.forEach((part, index) => checkPart(part, `${where}.content[${index}]`))
}

function checkPart(part: Part | null, where: string): void {
  const type = part?.type as string
  demand(Object.hasOwn(fields, type), `${where}.type`, Object.keys(fields).join(', '), type)
  for (const [field, wanted] of Object.entries(fields[type as Part['type']])) {
    const got = (part as unknown as Record<string, unknown>)[field]
    const fits = wanted === 'list' ? Array.isArray(got) : wanted === 'JSON value' ? got !== undefined : typeof got === wanted
    demand(fits, `${where}.${field}`, `a ${wanted}`, got)
  }
}

function demand(fits: boolean, where: string, wanted: string, got: unknown): void {
  if (fits) return
  throw new SameloopError('run-invalid-input', `Invalid ${where}: wanted ${wanted}, got ${String(JSON.stringify(got)).slice(0, 80)}`)
}
