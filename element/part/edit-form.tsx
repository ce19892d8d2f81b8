// Changing the arguments of a call before it runs.
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { VNode } from 'preact'
import type { Json } from '../../src/json/value.ts'
import { parseJson } from '../../src/json/text.ts'
import { visibleJson } from '../view/visible.ts'
import { useChatFacts } from './context.ts'
import { cancelOnEscape } from './question.ts'
import type { FormProps } from './question.ts'

export function EditForm({ input, answering, onCancel }: FormProps & { readonly input: Json }): VNode {
  const { labels } = useChatFacts()
  const text = useSignal(visibleJson(input))
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => field.current?.focus(), [])
  const parsed = parseJson(text.value)
  return (
    <form
      class="answer"
      onSubmit={(event) => {
        event.preventDefault()
        if (parsed.ok) answering.decide('edit', { input: parsed.value as Json })
      }}
      onKeyDown={(event) => cancelOnEscape(event, onCancel)}
    >
      <textarea
        ref={field}
        class="field code"
        rows={Math.min(14, text.value.split('\n').length + 1)}
        aria-label={labels.editHint}
        aria-invalid={!parsed.ok}
        spellcheck={false}
        value={text.value}
        onInput={(event) => (text.value = event.currentTarget.value)}
      />
      {!parsed.ok && (
        <p class="refused" role="status">
          {labels.notJson}
        </p>
      )}
      <div class="actions">
        <button type="submit" class="button main" disabled={!parsed.ok || answering.busy.value}>
          {labels.run}
        </button>
        <button type="button" class="button" onClick={onCancel}>
          {labels.cancel}
        </button>
      </div>
    </form>
  )
}
