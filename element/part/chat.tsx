// The whole chat: messages that follow the newest, the composer, and what a screen reader hears.
import { useSignal } from '@preact/signals'
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import type { VNode } from 'preact'
import type { Labels } from '../labels.ts'
import type { ChatSession } from '../session/session.ts'
import { chatModel } from '../view/chat-model.ts'
import { Composer } from './composer.tsx'
import { ChatFactsProvider } from './context.ts'
import { EmptyState } from './empty-state.tsx'
import type { Intro } from './empty-state.tsx'
import { Icon } from './icon.tsx'
import { LiveRegion } from './live-region.tsx'
import { MessageList } from './message-list.tsx'

export interface ChatProps {
  readonly session: ChatSession
  readonly labels: Labels
  readonly intro: Intro
  readonly note?: string | undefined
  readonly openFile?: ((path: string) => void) | undefined
}

/** So near to the end counts as the end. */
const nearPx = 48

export function Chat({ session, labels, intro, note, openFile }: ChatProps): VNode {
  const model = useMemo(() => chatModel(session), [session])
  useEffect(() => () => model.close(), [model])
  const version = model.version.value
  const scroller = useRef<HTMLDivElement>(null)
  const isAtEnd = useSignal(true)
  const facts = useMemo(() => ({ session, labels, openFile }), [session, labels, openFile])
  useLayoutEffect(() => {
    if (isAtEnd.peek()) toEnd(scroller.current)
  }, [version, isAtEnd])
  const question = model.transcript.entries.find((entry) => entry.kind === 'tool' && entry.state === 'waiting')?.key
  // Before the next key can come: it would be typed into the composer.
  useLayoutEffect(() => focusQuestion(scroller.current), [question])
  const onScroll = useCallback(() => {
    const { current } = scroller
    if (current !== null) isAtEnd.value = current.scrollHeight - current.scrollTop - current.clientHeight < nearPx
  }, [isAtEnd])
  useEffect(() => {
    // A card that opens makes the content longer without scrolling; the event does not bubble.
    const { current } = scroller
    current?.addEventListener('toggle', onScroll, true)
    return () => current?.removeEventListener('toggle', onScroll, true)
  }, [onScroll])
  const { transcript } = model
  const isEmpty = transcript.entries.length === 0
  return (
    <ChatFactsProvider value={facts}>
      <div class="chat" part="chat" onKeyDown={(event) => onKey(event, session, event.currentTarget)}>
        <div class="scroll" part="messages" ref={scroller} onScroll={onScroll}>
          <div class="column">
            {isEmpty ? (
              <EmptyState intro={intro} onPick={(text) => void session.send(text)} />
            ) : (
              <MessageList transcript={transcript} version={version} />
            )}
          </div>
        </div>
        <div class="foot">
          {!isAtEnd.value && (
            <button type="button" class="latest" part="latest" onClick={() => toEnd(scroller.current)}>
              <Icon name="down" />
              {labels.latest}
            </button>
          )}
          {transcript.connection === 'lost' && (
            <p class="lost" role="status">
              {labels.lost}
            </p>
          )}
          <Composer status={transcript.status} note={note} />
        </div>
        <LiveRegion transcript={transcript} version={version} />
      </div>
    </ChatFactsProvider>
  )
}

function toEnd(scroller: HTMLElement | null): void {
  if (scroller !== null) scroller.scrollTop = scroller.scrollHeight
}

/** A question takes the focus from an empty composer, so that its keys work at once; never from somebody who types. */
function focusQuestion(scroller: HTMLElement | null): void {
  const question = scroller?.querySelector<HTMLElement>('[data-question]')
  const root = scroller?.getRootNode()
  if (question === null || question === undefined || !(root instanceof ShadowRoot || root instanceof Document)) return
  const active = root.activeElement
  const isTyping =
    active instanceof HTMLTextAreaElement && (active.value !== '' || active.closest('.composer') === null)
  if (!isTyping && (active === null || active.closest('[data-question]') === null))
    question.focus({ preventScroll: true })
}

const isField = (target: EventTarget | undefined): boolean =>
  target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement || target instanceof HTMLSelectElement

/** Keys of the whole chat: Esc stops; A, E and D answer the first open question. */
export function onKey(event: KeyboardEvent, session: ChatSession, root: Element): void {
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return
  if (event.key === 'Escape') {
    session.stop()
    return
  }
  if (isField(event.composedPath()[0])) return
  const button = root.querySelector<HTMLElement>(`[data-question] [data-key="${CSS.escape(event.key.toLowerCase())}"]`)
  if (button === null) return
  event.preventDefault()
  button.click()
}
