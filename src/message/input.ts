// Checks what a caller hands in as the conversation, before anything runs.
import { SameloopError } from '../error/error.ts'
import type { Message, Part } from './part.ts'
import { misfit } from './shape.ts'
import type { Shape } from './shape.ts'
import { textMessage } from './text.ts'

export type RunInput = string | readonly Message[]

const call: Shape = { callId: 'string', name: 'string' }

/** What a part must have, by its type. */
const shapes: Readonly<Record<Part['type'], Shape>> = {
  text: { text: 'string' },
  json: { value: 'value' },
  reasoning: { text: 'string' },
  file: { mediaType: 'string' },
  source: {},
  'tool-call': { ...call, input: 'value' },
  'tool-result': { ...call, ok: 'boolean', content: 'array' },
}

const optional = 'string or undefined'

/** What a part of any type may have. */
const extras: Shape = {
  data: optional,
  url: optional,
  name: optional,
  document: optional,
  title: optional,
  providerData: 'object or undefined',
}

const content: readonly Part['type'][] = ['text', 'json', 'file', 'source']

/** Which parts a message of each role may have. */
const roles: Readonly<Record<Message['role'], readonly string[]>> = {
  system: ['text'],
  user: content,
  assistant: Object.keys(shapes),
  tool: ['tool-result'],
}

const anyRole = Object.keys(roles)

/** The messages of a string or of a list; throws `run-invalid-input`, which names the place. */
export function inputMessages(input: RunInput, allowed?: readonly Message['role'][]): readonly Message[] {
  if (typeof input === 'string') return [textMessage('user', input)]
  demand('input', misfit({ messages: input }, { messages: 'array' }))
  // Unlike `forEach` it sees holes.
  for (const [index, message] of input.entries()) checkMessage(message, `messages[${index}]`, allowed)
  return input
}

/** What somebody says in the middle of a conversation: only a user (or the system) may. */
export const newInput = (input: RunInput): readonly Message[] => inputMessages(input, ['user', 'system'])

/** Throws `run-invalid-input` unless `value` is a message of an `allowed` role. Default: any. */
export function checkMessage(
  value: unknown,
  where: string,
  allowed: readonly string[] = anyRole,
): asserts value is Message {
  demand(where, misfit(value, { role: allowed, content: 'array' }))
  const message = value as Message
  for (const [index, part] of message.content.entries())
    demand(`${where}.content[${index}]`, partMisfit(part, roles[message.role]))
  // Whatever else is in it will be written as JSON.
  demand(where, misfit({ message }, { message: 'value' }))
}

/** What keeps `value` from being meant as a part of one of these types. Default: what a tool may answer with. */
export const kindMisfit = (value: unknown, types: readonly string[] = content): string | undefined =>
  misfit(value, { type: types }) ?? misfit(value, shapes[(value as Part).type])

/** What keeps `value` from being a part of one of these types, if anything. */
function partMisfit(value: unknown, types?: readonly string[]): string | undefined {
  const problem = kindMisfit(value, types) ?? misfit(value, extras)
  if (problem) return problem
  const part = value as Part
  if (part.type === 'file') return misfit({ 'data or url': part.data ?? part.url }, { 'data or url': 'string' })
  return part.type === 'tool-result' ? contentMisfit(part.content) : undefined
}

export const isPart = <Type extends Part['type']>(
  value: unknown,
  type: Type,
): value is Extract<Part, { readonly type: Type }> => !partMisfit(value, [type])

/** What keeps a list from being what a tool may answer with. */
export const contentMisfit = (parts: readonly unknown[]): string | undefined =>
  Array.from(parts, (part) => partMisfit(part)).find(Boolean)

function demand(where: string, problem: string | undefined): void {
  if (problem) throw new SameloopError('run-invalid-input', `Invalid ${where}: ${problem}`)
}
