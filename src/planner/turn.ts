// Reads from the messages where the conversation stands: what was asked, and what came back since.
import type { ContentPart, Message, ToolResultPart } from '../message/part.ts'
import { messageText } from '../message/text.ts'
import { isObject } from '../json/value.ts'
import { isCommand } from '../utterance/clause.ts'

/** What happened after the command: the results of one step, or a person's answer to our question. */
export type Happening =
  | { readonly type: 'results'; readonly results: readonly ToolResultPart[] }
  | { readonly type: 'reply'; readonly text: string }

export interface Turn {
  readonly command: string
  readonly happenings: readonly Happening[]
  /** What "it" means at the start: the last result or answer before the command. */
  readonly earlier: string | undefined
}

/** How every question of ours ends; a following message that is no command is its answer. */
export const questionMark = '(Rule-based planner, no AI: I ask rather than guess.)'

const textOf = (message: Message): string => messageText(message).trim()

/** The index of the last message of a user before `end`, or -1. */
function lastUser(messages: readonly Message[], end: number): number {
  let index = end - 1
  while (index >= 0 && messages[index]?.role !== 'user') index--
  return index
}

export function readTurn(messages: readonly Message[]): Turn {
  let start = lastUser(messages, messages.length)
  for (let hops = 0; hops < 8 && start > 0; hops++) {
    const before = messages[start - 1]
    const reply = textOf(messages[start] as Message)
    if (before?.role !== 'assistant' || !textOf(before).endsWith(questionMark) || isCommand(reply)) break
    const earlier = lastUser(messages, start)
    if (earlier < 0) break
    start = earlier
  }
  const command = messages[start]
  return {
    command: command ? textOf(command) : '',
    happenings: messages.slice(start + 1).flatMap(toHappening),
    earlier: lastValue(messages.slice(0, Math.max(0, start))),
  }
}

function toHappening(message: Message): Happening[] {
  if (message.role === 'user') return [{ type: 'reply', text: textOf(message) }]
  const results = message.content.filter((part) => part.type === 'tool-result')
  return message.role === 'tool' && results.length > 0 ? [{ type: 'results', results }] : []
}

function lastValue(messages: readonly Message[]): string | undefined {
  for (const message of [...messages].reverse()) {
    const result = message.content.filter((part) => part.type === 'tool-result').at(-1)
    if (result) return result.ok ? resultText(result) : undefined
    if (message.role === 'assistant' && textOf(message) !== '' && !textOf(message).endsWith(questionMark))
      return textOf(message)
  }
  return undefined
}

/** A result as text: its text parts, and what its JSON parts hold. */
export function resultText(result: ToolResultPart): string {
  return result.content.map(partText).join('\n')
}

const textKeys = ['content', 'contents', 'text', 'result', 'output', 'value']

function partText(part: ContentPart): string {
  if (part.type === 'text') return part.text
  if (part.type === 'file') return `[file ${part.name ?? part.mediaType}]`
  if (part.type === 'source') return part.url ?? part.title ?? ''
  const { value } = part
  if (typeof value === 'string') return value
  if (isObject(value)) {
    const key = textKeys.find((name) => Object.hasOwn(value, name) && ['string', 'number'].includes(typeof value[name]))
    if (key !== undefined) return String(value[key])
  }
  return JSON.stringify(value, null, 2)
}
