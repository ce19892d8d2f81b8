// The page: starts what is kept, draws the shell.
import { effect } from '@preact/signals'
import { render } from 'preact'
import { defineChat } from '../element/index.ts'
import { begin, current } from './state/app.ts'
import { applySettings } from './state/settings.ts'
import { lookForWorker } from './state/worker.ts'
import { Shell } from './view/shell.tsx'

defineChat()
effect(applySettings)
effect(() => {
  const name = current.value?.title.value ?? ''
  const waits = current.value?.state.value === 'waiting' ? '● ' : ''
  document.title = name === '' ? 'sameloop' : `${waits}${name} · sameloop`
})
const root = document.getElementById('page')
if (root !== null) render(<Shell />, root)
void lookForWorker()
void begin()
