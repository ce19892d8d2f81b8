// The conversations of this tab.
import type { VNode } from 'preact'
import { Icon } from '../../element/part/icon.tsx'
import { Visible } from '../../element/part/visible.tsx'
import { chats, current, newChat, show } from '../state/app.ts'
import type { OpenChat } from '../state/chats.ts'

export function Sessions(): VNode {
  const place = current.value?.place ?? 'here'
  return (
    <nav class="sessions" aria-label="Sessions">
      <button type="button" class="new" onClick={() => newChat(place)}>
        <Icon name="plus" />
        New session
        <span class="gap" />
        <kbd>N</kbd>
      </button>
      <h2>In this tab</h2>
      <ul>
        {chats.value.map((chat) => (
          <li key={chat.id}>
            <SessionLine chat={chat} />
          </li>
        ))}
      </ul>
    </nav>
  )
}

function SessionLine({ chat }: { readonly chat: OpenChat }): VNode {
  const isCurrent = chat === current.value
  return (
    <button type="button" class="session" aria-current={isCurrent ? 'page' : undefined} onClick={() => show(chat)}>
      <span class="title">
        <bdi>
          <Visible text={chat.title.value === '' ? 'New session' : chat.title.value} />
        </bdi>
      </span>
      <span class={`state ${chat.state.value}`}>{words(chat)}</span>
    </button>
  )
}

function words({ place, state }: OpenChat): string {
  if (state.value === 'waiting') return 'waiting for you'
  if (state.value === 'working') return 'working…'
  return place === 'here' ? 'in this page' : 'at the worker'
}
