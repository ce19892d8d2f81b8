// Where a person types: grows with its text, sends on Enter, stops on Esc.
import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { VNode } from 'preact'
import type { Labels } from '../labels.ts'
import type { ChatStatus } from '../view/entries.ts'
import { useChatFacts } from './context.ts'
import { Icon } from './icon.tsx'

export interface ComposerProps {
  readonly status: ChatStatus
  /** A short remark below the field. */
  readonly note?: string | undefined
}

/** `running`: what may be done while it works. */
function placeholder(status: ChatStatus, labels: Labels, running: 'add' | 'wait'): string {
  if (status === 'waiting') return labels.placeholderWaiting
  if (status === 'idle') return labels.placeholder
  return running === 'add' ? labels.placeholderRunning : labels.placeholderBusy
}

function hint(status: ChatStatus, labels: Labels): string {
  if (status === 'waiting') return labels.decideHint
  return status === 'idle' ? labels.sendHint : labels.stopHint
}

export function Composer({ status, note }: ComposerProps): VNode {
  const { session, labels } = useChatFacts()
  const text = useSignal('')
  const field = useRef<HTMLTextAreaElement>(null)
  const isBusy = status !== 'idle'
  const maySend = status === 'idle' || (status === 'running' && session.steers)
  const isReady = maySend && text.value.trim() !== ''
  const send = (): void => {
    if (!isReady) return
    void session.send(text.value.trim())
    text.value = ''
    field.current?.focus()
  }
  useLayoutEffect(() => grow(field.current), [text.value])
  return (
    <form
      class="composer"
      part="composer"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <textarea
        ref={field}
        rows={1}
        part="input"
        aria-label={labels.message}
        placeholder={placeholder(status, labels, session.steers ? 'add' : 'wait')}
        value={text.value}
        onInput={(event) => (text.value = event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
          event.preventDefault()
          send()
        }}
      />
      <div class="row">
        {note !== undefined && <span class="note">{note}</span>}
        <span class="gap" />
        <span class="hint">{hint(status, labels)}</span>
        <Buttons isBusy={isBusy} isReady={isReady} />
      </div>
    </form>
  )
}

/** Stop while something works, send otherwise; both where what is typed would be added to the run. */
function Buttons({ isBusy, isReady }: { readonly isBusy: boolean; readonly isReady: boolean }): VNode {
  const { session, labels } = useChatFacts()
  return (
    <>
      {isBusy && (
        <button
          type="button"
          class="round stop"
          part="stop"
          aria-label={labels.stop}
          title={labels.stop}
          onClick={() => session.stop()}
        >
          <Icon name="stop" />
        </button>
      )}
      {(!isBusy || isReady) && (
        <button
          type="submit"
          class="round send"
          part="send"
          aria-label={labels.send}
          title={labels.send}
          disabled={!isReady}
        >
          <Icon name="up" />
        </button>
      )}
    </>
  )
}

const tallestPx = 220

/** As tall as its text, up to a limit. */
function grow(field: HTMLTextAreaElement | null): void {
  if (field === null) return
  field.style.height = 'auto'
  field.style.height = `${Math.min(field.scrollHeight, tallestPx)}px`
}
