// A failure: what happened, why, and what can be done about it.
import type { VNode } from 'preact'
import { adviceFor } from '../view/advice.ts'
import type { ErrorEntry } from '../view/entry.ts'
import { useChatFacts } from './context.ts'
import { Icon } from './icon.tsx'

export function ErrorCard({ entry }: { readonly entry: ErrorEntry }): VNode {
  const { labels, session } = useChatFacts()
  const { cause, next } = adviceFor(entry.code)
  return (
    <div class="card bad" part="error">
      <div class="top">
        <span class="mark bad">
          <Icon name="alert" />
        </span>
        <b>{cause}</b>
        <code class="code">{entry.code}</code>
      </div>
      <div class="inside">
        <p>{entry.text}</p>
        <p class="quiet">{next}</p>
        {session.continue !== undefined && (
          <button type="button" class="button small" onClick={() => void session.continue?.()}>
            {labels.again}
          </button>
        )}
      </div>
    </div>
  )
}
