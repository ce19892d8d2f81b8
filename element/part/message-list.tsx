// The entries of a conversation. An entry that did not change keeps its drawing.
import { useRef } from 'preact/hooks'
import type { VNode } from 'preact'
import type { Transcript } from '../view/entries.ts'
import type { Entry } from '../view/entry.ts'
import { useChatFacts } from './context.ts'
import { EntryView } from './entry-view.tsx'

export interface MessageListProps {
  readonly transcript: Transcript
  /** Of the drawing; the transcript itself is changed in place. */
  readonly version: number
}

export function MessageList({ transcript }: MessageListProps): VNode {
  const { labels } = useChatFacts()
  const drawn = useRef(new WeakMap<Entry, VNode>())
  const items = transcript.entries.map((entry) => {
    const known = drawn.current.get(entry)
    if (known !== undefined) return known
    const fresh = (
      <li key={entry.key} class={`entry ${entry.kind}`}>
        <EntryView entry={entry} />
      </li>
    )
    drawn.current.set(entry, fresh)
    return fresh
  })
  const last = transcript.entries.at(-1)
  const isSilent = transcript.status === 'starting' || (transcript.status === 'running' && !isMoving(last))
  return (
    <div>
      <ol class="entries">
        {items}
        {isSilent && (
          <li key="working" class="entry working">
            <span class="spinner" />
            {labels.working}
          </li>
        )}
      </ol>
    </div>
  )
}

/** Whether the last entry itself shows that something goes on. */
function isMoving(entry: Entry | undefined): boolean {
  if (entry?.kind === 'text' || entry?.kind === 'reasoning') return !entry.done
  return entry?.kind === 'tool' && (entry.state === 'running' || entry.state === 'writing' || entry.state === 'waiting')
}
