// The frame of the page: header, sessions, chat, inspector; on a narrow window one of them and tabs below.
import { useEffect, useRef } from 'preact/hooks'
import type { VNode } from 'preact'
import type { ChatElement } from '../../element/index.ts'
import { isField } from '../../element/part/field.ts'
import { current, newChat, panel, sheet } from '../state/app.ts'
import { BottomTabs } from './bottom-tabs.tsx'
import { ChatPane } from './chat-pane.tsx'
import { Header } from './header.tsx'
import { Inspector } from './inspector.tsx'
import { ModelDialog } from './model-dialog.tsx'
import { Sessions } from './sessions.tsx'
import { ShortcutSheet } from './shortcut-sheet.tsx'

export function Shell(): VNode {
  const chat = useRef<ChatElement>(null)
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => onPageKey(event, chat.current)
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
  return (
    <div class="shell" data-panel={panel.value}>
      <a class="skip" href="#chat" onClick={(event) => skip(event, chat.current)}>
        Skip to the message field
      </a>
      <Header />
      <Sessions />
      <ChatPane element={chat} />
      <Inspector />
      <BottomTabs />
      {sheet.value === 'model' && <ModelDialog />}
      {sheet.value === 'shortcuts' && <ShortcutSheet />}
    </div>
  )
}

function skip(event: Event, chat: ChatElement | null): void {
  event.preventDefault()
  chat?.focus()
}

/** Keys that work wherever nobody types. What the chat took is left alone. */
function onPageKey(event: KeyboardEvent, chat: ChatElement | null): void {
  const [target] = event.composedPath()
  if (event.defaultPrevented || sheet.peek() !== undefined || isField(target)) return
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return
  const place = current.peek()?.place
  if (event.key === '?') sheet.value = 'shortcuts'
  else if (event.key === 'n' && place !== undefined) newChat(place)
  else if (event.key === 'm') sheet.value = 'model'
  else if (event.key === '/') chat?.focus()
  else {
    if (chat !== null && !event.composedPath().includes(chat)) chat.handleKey(event)
    return
  }
  event.preventDefault()
}
