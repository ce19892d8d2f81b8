// What a model thought before it answered, folded away.
import type { VNode } from 'preact'
import type { TextEntry } from '../view/entry.ts'
import { duration } from '../view/figure.ts'
import { useChatFacts } from './context.ts'
import { Icon } from './icon.tsx'
import { Prose } from './visible.tsx'

export function ReasoningFold({ entry }: { readonly entry: TextEntry }): VNode {
  const { labels } = useChatFacts()
  const { text, done, startedAt, endedAt } = entry
  return (
    <details class="fold" part="reasoning">
      <summary>
        <Icon name="chevron" />
        {done ? labels.reasoning : labels.reasoningNow}
        {endedAt !== undefined && <span class="time">{duration(endedAt - startedAt)}</span>}
      </summary>
      <p>
        <Prose text={text} />
      </p>
    </details>
  )
}
