// A call that waits for a person: what it would do, why it is asked, and the four answers.
import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { ApprovalRequest } from '../../src/message/decision.ts'
import { wordFor } from '../labels.ts'
import type { Labels } from '../labels.ts'
import { diffRows } from '../view/diff-rows.ts'
import { argumentLine } from '../view/figure.ts'
import { visibleText } from '../view/visible.ts'
import { ArgumentView } from './argument-view.tsx'
import { useChatFacts } from './context.ts'
import { DenyForm } from './deny-form.tsx'
import { DiffView } from './diff-view.tsx'
import { EditForm } from './edit-form.tsx'
import { Icon } from './icon.tsx'
import { isSecondClick, useAnswering } from './question.ts'
import type { Answering, QuestionProps } from './question.ts'
import { Refusal } from './refusal.tsx'
import { Name, Visible } from './visible.tsx'

export function ApprovalCard({ entry, request }: QuestionProps): VNode {
  const { labels } = useChatFacts()
  const mode = useSignal<'choose' | 'edit' | 'deny'>('choose')
  const answering = useAnswering(request.callId)
  const { preview } = request
  const turnTo = (next: typeof mode.value): void => {
    mode.value = next
    answering.refused.value = ''
  }
  const choose = (): void => turnTo('choose')
  return (
    <section
      class="card ask"
      part="approval"
      data-question
      tabIndex={-1}
      aria-label={`${visibleText(entry.name)}: ${wordFor(labels.states, 'waiting')}`}
    >
      <div class="top">
        <span class="mark ask">
          <Icon name="question" />
        </span>
        <span class="name">
          <Name text={entry.name} />
        </span>
        <span class="line">{preview === undefined && <Name text={argumentLine(request.input)} />}</span>
        <span class="effect">{wordFor(labels.effects, request.effect)}</span>
      </div>
      <div class="why">
        {preview !== undefined && (
          <p class="summary" tabIndex={preview.summary.length > 500 ? 0 : undefined}>
            <Visible text={preview.summary} />
          </p>
        )}
        <p class="quiet">
          <Visible text={request.reason ?? wordFor(labels.whys, request.why)} /> {labels.nothingYet}
        </p>
      </div>
      {mode.value !== 'edit' && <Effect request={request} />}
      {mode.value === 'edit' && <EditForm input={request.input} answering={answering} onCancel={choose} />}
      {mode.value === 'deny' && <DenyForm answering={answering} onCancel={choose} />}
      {mode.value === 'choose' && <Choices request={request} answering={answering} labels={labels} onMode={turnTo} />}
      <Refusal answering={answering} />
    </section>
  )
}

/** The change with the arguments folded away; open where it is not whole, as nobody may approve what they cannot see. */
function Effect({ request: { preview, input } }: { readonly request: ApprovalRequest }): VNode {
  const { labels } = useChatFacts()
  const isOpen = useSignal(false)
  const diff = preview?.diff ?? ''
  if (diff === '') return <ArgumentView input={input} />
  return (
    <>
      <DiffView diff={diff} />
      {diffRows(diff, 0).isCut ? (
        <ArgumentView input={input} />
      ) : (
        <details class="fold part" onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
          <summary>
            <Icon name="chevron" />
            {labels.arguments}
          </summary>
          {isOpen.value && <ArgumentView input={input} />}
        </details>
      )}
    </>
  )
}

interface ChoicesProps {
  readonly request: ApprovalRequest
  readonly answering: Answering
  readonly labels: Labels
  readonly onMode: (mode: 'edit' | 'deny') => void
}

const once =
  (act: () => void) =>
  (event: MouseEvent): void => {
    if (!isSecondClick(event)) act()
  }

function Choices({ request, answering, labels, onMode }: ChoicesProps): VNode {
  const { decide, give, busy } = answering
  const isUnknown = request.why === 'unknown-outcome'
  const [word, decision] = isUnknown ? ([labels.retry, 'retry'] as const) : ([labels.approve, 'approve'] as const)
  return (
    <div class="actions" role="group">
      <button
        type="button"
        class="button main"
        data-key="a"
        disabled={busy.value}
        onClick={once(() => decide(decision))}
      >
        {word} <kbd>A</kbd>
      </button>
      {isUnknown ? (
        <button
          type="button"
          class="button"
          disabled={busy.value}
          onClick={once(() => give('Marked as done by the user'))}
        >
          {labels.markDone}
        </button>
      ) : (
        <button type="button" class="button" data-key="e" disabled={busy.value} onClick={() => onMode('edit')}>
          {labels.edit} <kbd>E</kbd>
        </button>
      )}
      <button type="button" class="button no" data-key="d" disabled={busy.value} onClick={() => onMode('deny')}>
        {labels.deny} <kbd>D</kbd>
      </button>
      <span class="gap" />
      {!isUnknown && (
        <button
          type="button"
          class="button ghost"
          title={labels.alwaysHint}
          disabled={busy.value}
          onClick={once(() => decide('approve-session'))}
        >
          {labels.always}
        </button>
      )}
    </div>
  )
}
