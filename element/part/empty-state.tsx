// What stands where nothing was said yet: an invitation and a few tasks to begin with.
import type { VNode } from 'preact'
import { useChatFacts } from './context.ts'
import { Icon } from './icon.tsx'
import type { IconName } from './icon.tsx'

export interface Example {
  /** What is sent. */
  readonly text: string
  /** What it shows, in a word or three. */
  readonly caption: string
  readonly icon?: IconName | undefined
}

/** Replaces the words of an empty chat. */
export interface Intro {
  readonly title?: string | undefined
  readonly text?: string | undefined
  readonly examples?: readonly Example[] | undefined
}

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
