// The tabs of a narrow window, below.
import type { VNode } from 'preact'
import { Icon } from '../../element/part/icon.tsx'
import type { IconName } from '../../element/part/icon-path.ts'
import { current, inspector, panel } from '../state/app.ts'
import type { Panel } from '../state/app.ts'

const tabs: readonly (readonly [Panel, string, IconName])[] = [
  ['chat', 'Chat', 'chat'],
  ['files', 'Files', 'folder'],
  ['run', 'Run', 'run'],
  ['sessions', 'Sessions', 'history'],
]

function open(id: Panel): void {
  panel.value = id
  if (id === 'files' || id === 'run') inspector.value = id
}

export function BottomTabs(): VNode {
  const isWaiting = current.value?.state.value === 'waiting'
  return (
    <nav class="bottom" aria-label="Panels">
      {tabs.map(([id, words, icon]) => (
        <button key={id} type="button" aria-current={panel.value === id ? 'page' : undefined} onClick={() => open(id)}>
          <Icon name={icon} />
          {words}
          {id === 'chat' && isWaiting && panel.value !== 'chat' && <span class="alert">waiting</span>}
        </button>
      ))}
    </nav>
  )
}
