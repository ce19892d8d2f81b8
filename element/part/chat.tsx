// The whole chat: messages that follow the newest, the composer, and what a screen reader hears.
import { useEffect, useMemo } from 'preact/hooks'
import type { VNode } from 'preact'
import type { Labels } from '../labels.ts'
import type { ChatSession } from '../session/session.ts'
import { chatModel } from '../view/chat-model.ts'
import type { Transcript } from '../view/entries.ts'
import type { Entry } from '../view/entry.ts'
import { Composer } from './composer.tsx'
import { ChatFactsProvider, useChatFacts } from './context.ts'
import { EmptyState } from './empty-state.tsx'
import type { Intro } from './intro.ts'
import { isField } from './field.ts'
import { toEnd, useFollowing, useQuestionFocus } from './following.ts'
import type { Following } from './following.ts'
import { Icon } from './icon.tsx'
import { LiveRegion } from './live-region.tsx'
import { MessageList } from './message-list.tsx'
import { useCalm } from './question.ts'

export interface ChatProps {
  readonly session: ChatSession
  readonly labels: Labels
  readonly intro: Intro
  readonly note?: string | undefined
  readonly openFile?: ((path: string) => void) | undefined
}

export function Chat({ session, labels, intro, note, openFile }: ChatProps): VNode {
  const model = useMemo(() => chatModel(session), [session])
  useEffect(() => () => model.close(), [model])
  const version = model.version.value
  const following = useFollowing(version)
  const { scroller, isAtEnd } = following
  const { transcript } = model
  const question = transcript.entries.find(isQuestion)?.key
  // First: taking the focus is one of the things it waits after.
  useCalm(scroller, question)
  useQuestionFocus(scroller, question)
  const facts = useMemo(() => ({ session, labels, openFile }), [session, labels, openFile])
  return (
    <ChatFactsProvider value={facts}>
      <div class="chat" part="chat" onKeyDown={(event) => onKey(event, session, event.currentTarget)}>
        <Messages transcript={transcript} version={version} intro={intro} following={following} />
        <div class="between">
          {!isAtEnd.value && (
            <button type="button" class="latest" part="latest" onClick={() => toEnd(scroller.current)}>
              <Icon name="down" />
              {labels.latest}
            </button>
          )}
        </div>
        <div class="foot">
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

interface MessagesProps {
  readonly transcript: Transcript
  readonly version: number
  readonly intro: Intro
  readonly following: Following
}

function Messages({ transcript, version, intro, following: { scroller, onScroll } }: MessagesProps): VNode {
  const { session, labels } = useChatFacts()
  return (
    <div
      class="scroll"
      part="messages"
      role="region"
      aria-label={labels.conversation}
      tabIndex={0}
      ref={scroller}
      onScroll={onScroll}
    >
      <div class="column">
        {transcript.entries.length === 0 ? (
          <EmptyState intro={intro} onPick={(text) => void session.send(text)} />
        ) : (
          <MessageList transcript={transcript} version={version} />
        )}
      </div>
    </div>
  )
}

const isQuestion = (entry: Entry): boolean => entry.kind === 'tool' && entry.state === 'waiting'

/** Keys of the whole chat: Esc stops; A, E and D answer the first open question, once each time they are pressed. */
export function onKey(event: KeyboardEvent, session: ChatSession, root: Element): void {
  if (event.defaultPrevented || event.isComposing || event.repeat) return
  if (event.ctrlKey || event.metaKey || event.altKey) return
  if (event.key === 'Escape') {
    session.stop()
    return
  }
  if (isField(event.composedPath()[0])) return
  const key = CSS.escape(event.key.toLowerCase())
  const button = root.querySelector<HTMLElement>(`[data-calm] [data-question] [data-key="${key}"]`)
  if (button === null) return
  event.preventDefault()
  button.click()
}
