// A question whose answer is the result of the call: the tool runs at the person.
import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { Json } from '../../src/json/value.ts'
import { visibleText } from '../view/visible.ts'
import { ArgumentView } from './argument-view.tsx'
import { useChatFacts } from './context.ts'
import { Icon } from './icon.tsx'
import { isSecondClick, useAnswering } from './question.ts'
import type { Answering, QuestionProps } from './question.ts'
import { Refusal } from './refusal.tsx'
import { Name, Visible } from './visible.tsx'

export function AnswerCard({ entry, request }: QuestionProps): VNode {
  const { labels } = useChatFacts()
  const answering = useAnswering(request.callId)
  const question = request.preview?.summary ?? questionOf(request.input)
  return (
    <section
      class="card ask"
      part="approval"
      data-question
      tabIndex={-1}
      aria-label={`${visibleText(entry.name)}: ${labels.answer}`}
    >
      <div class="top">
        <span class="mark ask">
          <Icon name="question" />
        </span>
        <span class="name">
          <Name text={entry.name} />
        </span>
      </div>
      {question === undefined ? (
        <ArgumentView input={request.input} />
      ) : (
        <p class="why summary">
          <Visible text={question} />
        </p>
      )}
      <AnswerForm answering={answering} />
      <Refusal answering={answering} />
    </section>
  )
}

function AnswerForm({ answering }: { readonly answering: Answering }): VNode {
  const { labels } = useChatFacts()
  const text = useSignal('')
  return (
    <form
      class="answer"
      onSubmit={(event) => {
        event.preventDefault()
        if (text.value.trim() !== '') answering.give(text.value.trim())
      }}
    >
      <textarea
        class="field"
        rows={2}
        aria-label={labels.answer}
        placeholder={labels.answer}
        value={text.value}
        onInput={(event) => (text.value = event.currentTarget.value)}
      />
      <div class="actions">
        <button type="submit" class="button main" disabled={answering.busy.value || text.value.trim() === ''}>
          {labels.sendAnswer}
        </button>
        <button
          type="button"
          class="button no"
          data-key="d"
          disabled={answering.busy.value}
          onClick={(event) => isSecondClick(event) || answering.decide('deny')}
        >
          {labels.decline}
        </button>
      </div>
    </form>
  )
}

function questionOf(input: Json): string | undefined {
  if (typeof input === 'string') return input
  if (typeof input !== 'object' || input === null || !Object.hasOwn(input, 'question')) return undefined
  const { question } = input as { readonly question?: unknown }
  return typeof question === 'string' ? question : undefined
}
