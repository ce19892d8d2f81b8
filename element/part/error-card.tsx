// A failure: what happened, why, and what can be done about it.
import type { VNode } from 'preact'
import { adviceFor } from '../view/advice.ts'
import type { ErrorEntry } from '../view/entry.ts'
import { useChatFacts } from './context.ts'
import { Icon } from './icon.tsx'
import { Name, Visible } from './visible.tsx'

export function ErrorCard({ entry }: { readonly entry: ErrorEntry }): VNode {
  const { labels, session } = useChatFacts()
  const { cause, next } =
    (Object.hasOwn(labels.advices, entry.code) && labels.advices[entry.code]) || adviceFor(entry.code)
  return (
    <div class="card bad" part="error">
      <div class="top">
        <span class="mark bad">
          <Icon name="alert" />
        </span>
        <b>{cause}</b>
        <code class="code">
          <Name text={entry.code} />
        </code>
      </div>
      <div class="inside">
        <p>
          <Visible text={entry.text} />
        </p>
        <p class="quiet">{next}</p>
        {session.renew !== undefined && adviceFor(entry.code).renews === true && (
          <button type="button" class="button small" onClick={() => session.renew?.()}>
            {labels.renew}
          </button>
        )}
        {session.continue !== undefined && (
          <button type="button" class="button small" onClick={() => void session.continue?.()}>
            {labels.again}
          </button>
        )}
      </div>
    </div>
  )
}
