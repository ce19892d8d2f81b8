// The chat element with the current conversation, and what an earlier visit left.
import { createElement } from 'preact'
import { useLayoutEffect } from 'preact/hooks'
import type { RefObject, VNode } from 'preact'
import type { ChatElement, Intro } from '../../element/index.ts'
import { Visible } from '../../element/part/visible.tsx'
import { current, dropOffer, offer, remark, showFile, takeOffer } from '../state/app.ts'
import type { Place } from '../state/chats.ts'
import { choice } from '../state/settings.ts'
import type { Provider } from '../state/settings.ts'

const examples: Intro['examples'] = [
  { icon: 'calculator', caption: 'Calculate', text: 'What is 17 * 23 + 4?' },
  { icon: 'search', caption: 'Search files', text: 'Search for TODO in all files' },
  {
    icon: 'file',
    caption: 'Read, then write, with your approval',
    text: 'Read notes.md, count the open tasks and write the total to summary.md',
  },
  { icon: 'pencil', caption: 'Edit, with your approval', text: 'In notes.md replace Ana with Ben' },
]

const notes: Readonly<Record<Place, string>> = {
  here: 'Files stay in this browser',
  worker: 'Files are kept at the worker',
}

function introOf(place: Place, provider: Provider): Intro {
  const where =
    place === 'here'
      ? 'It runs in this page: its files stay in this browser'
      : 'It runs at the edge: the worker keeps its files and goes on when you leave'
  const how = provider === 'planner' ? ', and a planner follows fixed rules, so no key and no AI is needed.' : '.'
  return { title: 'What should it do?', text: where + how, examples }
}

export function ChatPane({ element }: { readonly element: RefObject<ChatElement | null> }): VNode {
  const chat = current.value
  const { provider } = choice.value
  const note = chat?.unkept.value === '' ? notes[chat.place] : chat?.unkept.value
  useLayoutEffect(() => {
    const host = element.current
    if (host === null || chat === undefined) return
    host.openFile = showFile
    host.intro = introOf(chat.place, provider)
    host.note = note
    if (host.session !== chat.session) host.session = chat.session
  }, [chat, provider, note, element])
  useLayoutEffect(() => {
    // Under a finger it would bring a keyboard up that nobody asked for.
    if (!matchMedia('(pointer: coarse)').matches) element.current?.focus()
  }, [chat, element])
  return (
    <main class="chat-pane" id="chat">
      {offer.value !== undefined && <Offer />}
      {remark.value !== '' && <Remark />}
      {createElement('sameloop-chat', { ref: element })}
    </main>
  )
}

function Offer(): VNode {
  const kept = offer.value
  const time = new Date(kept?.at ?? 0).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
  return (
    <aside class="offer" aria-label="Earlier conversation">
      <p>
        You left{' '}
        <b>
          <bdi>
            <Visible text={kept?.title === '' ? 'a conversation' : (kept?.title ?? '')} />
          </bdi>
        </b>{' '}
        at {time}.
      </p>
      <button type="button" class="button" onClick={() => void takeOffer()}>
        Continue
      </button>
      <button type="button" class="button ghost" onClick={dropOffer}>
        Forget it
      </button>
    </aside>
  )
}

function Remark(): VNode {
  return (
    <div class="offer" role="status">
      <p>{remark.value}</p>
      <button type="button" class="button" onClick={() => (remark.value = '')}>
        All right
      </button>
    </div>
  )
}
