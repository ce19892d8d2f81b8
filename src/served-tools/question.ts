// What a person is asked through the client, and what the answer means.
import { cut, jsonText } from '../json/text.ts'
import { isObject, own } from '../json/value.ts'
import type { JsonObject } from '../json/value.ts'
import type { Answer, ApprovalRequest } from '../message/decision.ts'

/** The method by which a client is asked. */
export const askMethod = 'elicitation/create'

/** Longer texts of a tool or a model are cut: a person is to read this. */
const maxChars = 2000

/** Whether the client can show a form. One that says nothing more than that it asks people shows forms. */
export function showsForms(capabilities: unknown): boolean {
  const asking = own(capabilities, 'elicitation')
  return isObject(asking) && (Object.keys(asking).length === 0 || isObject(own(asking, 'form')))
}

/**
 * A form with one choice. None is chosen beforehand: a client that fills in what a form suggests must not approve anything.
 * `remembers`: there is a session for which more can be approved.
 */
export function questionOf(request: ApprovalRequest, remembers: boolean): JsonObject {
  const words = ['approve', ...(remembers ? ['approve-session'] : []), 'deny']
  return {
    mode: 'form',
    message: messageOf(request),
    requestedSchema: {
      type: 'object',
      properties: { decision: { type: 'string', title: 'Decision', enum: words } },
      required: ['decision'],
    },
  }
}

function messageOf({ name, input, reason, preview, effect }: ApprovalRequest): string {
  const lines = [
    `Run the tool "${name}"?`,
    reason && `Why it asks: ${words(reason)}`,
    preview && `What it would do: ${words(preview.summary)}`,
    preview?.diff && words(preview.diff),
    `Effect: ${effect}`,
    `Input: ${words(jsonText(input))}`,
  ]
  return lines.filter(Boolean).join('\n')
}

/** A tool may have written anything into its preview. */
const words = (given: unknown): string =>
  cut(typeof given === 'string' ? given : (jsonText(given) ?? typeof given), maxChars)

/** What a client sent for an answer. Whatever is not clearly a decision decides nothing. */
export function answerOf(given: unknown, remembers: boolean): Answer | undefined {
  const action = own(given, 'action')
  if (action === 'decline') return { decision: 'deny', reason: 'A person declined' }
  if (action !== 'accept') return undefined
  const word = own(own(given, 'content'), 'decision')
  if (word === 'deny') return { decision: 'deny', reason: 'A person denied it' }
  return word === 'approve' || (word === 'approve-session' && remembers) ? word : undefined
}
