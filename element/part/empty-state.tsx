// What stands where nothing was said yet: an invitation and a few tasks to begin with.
import type { VNode } from 'preact'
import { useChatFacts } from './context.ts'
import { Icon } from './icon.tsx'
import type { Intro } from './intro.ts'

export function EmptyState({
  intro,
  onPick,
}: {
  readonly intro: Intro
  readonly onPick: (text: string) => void
}): VNode {
  const { labels } = useChatFacts()
  const { title = labels.emptyTitle, text = labels.emptyText, examples = [] } = intro
  return (
    <div class="empty" part="empty">
      <h2>{title}</h2>
      <p>{text}</p>
      {examples.length > 0 && (
        <ul class="examples" aria-label={labels.examples}>
          {examples.map((example) => (
            <li key={example.text}>
              <button type="button" part="example" onClick={() => onPick(example.text)}>
                <span class="caption">
                  <Icon name={example.icon ?? 'chat'} />
                  {example.caption}
                </span>
                {example.text}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
