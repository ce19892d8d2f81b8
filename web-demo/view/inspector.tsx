// The panels beside the chat, as tabs.
import type { VNode } from 'preact'
import { current, inspector } from '../state/app.ts'
import { FilesPanel } from '../panel/files-panel.tsx'
import { RunPanel } from '../panel/run-panel.tsx'

const tabs = [
  ['files', 'Files'],
  ['run', 'Run'],
] as const

export function Inspector(): VNode {
  const chat = current.value
  return (
    <aside class="inspector" aria-label="Inspector">
      <div class="tabs" role="tablist" aria-label="Inspector" onKeyDown={onArrow}>
        {tabs.map(([id, words]) => (
          <button
            key={id}
            type="button"
            role="tab"
            id={`tab-${id}`}
            aria-controls={`pane-${id}`}
            aria-selected={inspector.value === id}
            tabIndex={inspector.value === id ? 0 : -1}
            onClick={() => (inspector.value = id)}
          >
            {words}
            {id === 'files' && chat !== undefined && chat.marks.value.size > 0 && (
              <span class="count">{chat.marks.value.size}</span>
            )}
          </button>
        ))}
      </div>
      <div class="pane" role="tabpanel" id={`pane-${inspector.value}`} aria-labelledby={`tab-${inspector.value}`}>
        {chat !== undefined && inspector.value === 'files' && <FilesPanel key={chat.id} chat={chat} />}
        {chat !== undefined && inspector.value === 'run' && <RunPanel key={chat.id} chat={chat} />}
      </div>
    </aside>
  )
}

function onArrow(event: KeyboardEvent): void {
  if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return
  inspector.value = inspector.value === 'files' ? 'run' : 'files'
  document.getElementById(`tab-${inspector.value}`)?.focus()
}
