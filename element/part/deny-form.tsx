// Saying no: with a reason for the model, if there is one.
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { VNode } from 'preact'
import { useChatFacts } from './context.ts'
import { cancelOnEscape } from './question.ts'
import type { FormProps } from './question.ts'

export function DenyForm({ answering, onCancel }: FormProps): VNode {
  const { labels } = useChatFacts()
  const reason = useSignal('')
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  const more = (): { readonly reason?: string } => (reason.value.trim() === '' ? {} : { reason: reason.value.trim() })
  return (
    <form
      class="answer"
      onSubmit={(event) => {
        event.preventDefault()
        answering.decide('deny', more())
      }}
      onKeyDown={(event) => cancelOnEscape(event, onCancel)}
    >
      <input
        ref={field}
        class="field"
        aria-label={labels.reason}
        placeholder={labels.reasonHint}
        value={reason.value}
        onInput={(event) => (reason.value = event.currentTarget.value)}
      />
      <div class="actions">
        <button type="submit" class="button no" disabled={answering.busy.value}>
          {labels.denyNow}
        </button>
        <button type="button" class="button" onClick={onCancel}>
          {labels.cancel}
        </button>
        <span class="gap" />
        <button
          type="button"
          class="button ghost"
          disabled={answering.busy.value}
          onClick={() => answering.decide('deny-always', more())}
        >
          {labels.denyAlways}
        </button>
      </div>
    </form>
  )
}
