// Answering a question: the answer is sent once, and a refusal is shown where it was given.
import { useSignal } from '@preact/signals'
import type { Signal } from '@preact/signals'
import type { ApprovalDecision, Decision, DecisionWord } from '../../src/message/decision.ts'
import type { Json } from '../../src/message/part.ts'
import { useChatFacts } from './context.ts'

export interface Answering {
  /** Why the last answer was refused. */
  readonly refused: Signal<string>
  readonly busy: Signal<boolean>
  decide(decision: DecisionWord, more?: Omit<ApprovalDecision, 'callId' | 'decision'>): void
  give(result: Json): void
}

export function useAnswering(callId: string): Answering {
  const { session } = useChatFacts()
  const refused = useSignal('')
  const busy = useSignal(false)
  const send = (decision: Decision): void => {
    if (busy.peek()) return
    busy.value = true
    refused.value = ''
    session
      .decide(decision)
      .catch(
        (thrown: unknown) => (refused.value = thrown instanceof Error ? thrown.message : 'The answer was not taken'),
      )
      .finally(() => (busy.value = false))
  }
  return {
    refused,
    busy,
    decide: (decision, more = {}) => send({ callId, decision, ...more }),
    give: (result) => send({ callId, result }),
  }
}
