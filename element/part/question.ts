// Answering a question: what its parts share, the answer that is sent once, and when keys may answer.
import { useSignal } from '@preact/signals'
import type { Signal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import type { RefObject } from 'preact'
import type { ApprovalDecision, ApprovalRequest, Decision, DecisionWord } from '../../src/message/decision.ts'
import type { Json } from '../../src/json/value.ts'
import type { ToolEntry } from '../view/entry.ts'
import { useChatFacts } from './context.ts'

export interface QuestionProps {
  readonly entry: ToolEntry
  readonly request: ApprovalRequest
}

export interface FormProps {
  readonly answering: Answering
  readonly onCancel: () => void
}

export interface Answering {
  /** Why the last answer was refused. */
  readonly refused: Signal<string>
  readonly busy: Signal<boolean>
  decide(decision: DecisionWord, more?: Omit<ApprovalDecision, 'callId' | 'decision'>): void
  give(result: Json): void
}

export function useAnswering(callId: string): Answering {
  const { session, labels } = useChatFacts()
  const refused = useSignal('')
  const busy = useSignal(false)
  const send = (decision: Decision): void => {
    if (busy.peek()) return
    busy.value = true
    refused.value = ''
    session
      .decide(decision)
      .catch((thrown: unknown) => (refused.value = thrown instanceof Error ? thrown.message : labels.notTaken))
      .finally(() => (busy.value = false))
  }
  return {
    refused,
    busy,
    decide: (decision, more = {}) => send({ callId, decision, ...more }),
    give: (result) => send({ callId, result }),
  }
}

/** Esc leaves the form; it must not stop the run as well. */
export function cancelOnEscape(event: KeyboardEvent, onCancel: () => void): void {
  if (event.key !== 'Escape') return
  event.preventDefault()
  onCancel()
}

/** The second click of a double click may hit the next question, which takes the place of the answered one. */
export const isSecondClick = (event: MouseEvent): boolean => event.detail > 1

/** So long no key may have been pressed before one answers a question. */
const calmMs = 600

/**
 * Marks what scrolls as calm while keys may answer the question in it: not at the moment it appears or takes the focus,
 * and not while somebody types, as what was meant for the message would approve.
 */
export function useCalm(scroller: RefObject<HTMLElement | null>, question: string | undefined): void {
  useLayoutEffect(() => {
    const { current } = scroller
    if (question === undefined || current === null) return
    let timer: ReturnType<typeof setTimeout>
    // At once and not with the next drawing: keys can come faster.
    const wait = (): void => {
      current.removeAttribute('data-calm')
      clearTimeout(timer)
      timer = setTimeout(() => current.setAttribute('data-calm', ''), calmMs)
    }
    wait()
    // After all others have seen the key: it may be the answer itself.
    window.addEventListener('keydown', wait)
    current.addEventListener('focusin', wait)
    return () => {
      clearTimeout(timer)
      current.removeAttribute('data-calm')
      window.removeEventListener('keydown', wait)
      current.removeEventListener('focusin', wait)
    }
  }, [question, scroller])
}
