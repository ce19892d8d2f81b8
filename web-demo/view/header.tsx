// The top of the page: the mark, where the agent runs, which model answers, the theme.
import type { VNode } from 'preact'
import { Icon } from '../../element/part/icon.tsx'
import { Name } from '../../element/part/visible.tsx'
import { modelLabel } from '../../element/view/model-label.ts'
import { current, goTo, newChat, sheet } from '../state/app.ts'
import { choice, nextTheme, theme, workerModel } from '../state/settings.ts'
import { worker } from '../state/worker.ts'

export function Header(): VNode {
  return (
    <header class="header">
      <span class="mark">
        <svg
          viewBox="0 0 24 24"
          fill="none"
          stroke="currentColor"
          stroke-width="2.4"
          stroke-linecap="round"
          aria-hidden="true"
        >
          <path d="M7 8.2a5 5 0 1 0 0 7.6c2-1.6 3.4-3.8 5-3.8" />
          <path d="M17 15.8a5 5 0 1 0 0-7.6c-2 1.6-3.4 3.8-5 3.8" />
        </svg>
        <h1>sameloop</h1>
      </span>
      <PlaceSwitch />
      <span class="gap" />
      <ModelChip />
      <button
        type="button"
        class="icon-button narrow-only"
        aria-label="New session"
        onClick={() => newChat(current.peek()?.place ?? 'here')}
      >
        <Icon name="plus" />
      </button>
      <ThemeSwitch />
      <button
        type="button"
        class="icon-button wide-only"
        aria-label="Keyboard shortcuts"
        title="Keyboard shortcuts (?)"
        onClick={() => (sheet.value = 'shortcuts')}
      >
        <b aria-hidden="true">?</b>
      </button>
    </header>
  )
}

function PlaceSwitch(): VNode {
  const place = current.value?.place
  const { value } = worker
  const why = 'why' in value ? value.why : undefined
  const isOff = value.state === 'absent' || value.state === 'looking'
  const onWorker = (): void => {
    if (value.state === 'locked') sheet.value = 'model'
    else goTo('worker')
  }
  return (
    <>
      <div class="segment" role="group" aria-label="Where the agent runs">
        <button type="button" aria-pressed={place === 'here'} onClick={() => goTo('here')}>
          This page
        </button>
        <button
          type="button"
          aria-pressed={place === 'worker'}
          disabled={isOff}
          aria-describedby={why === undefined ? undefined : 'worker-why'}
          title={why && `Edge worker: ${why}`}
          onClick={onWorker}
        >
          <span class="wide-only">Edge </span>worker
        </button>
      </div>
      {why !== undefined && (
        <span class="why" id="worker-why">
          No edge worker: {why}
        </span>
      )}
    </>
  )
}

/** The model that answers next. */
function answering(): { readonly label: string; readonly ai: boolean } {
  if (current.value?.place !== 'worker') {
    const { provider, model } = choice.value
    return modelLabel(provider === 'planner' ? 'local-planner' : model)
  }
  const models = worker.value.state === 'ready' ? worker.value.models : []
  const found = models.find(({ id }) => id === workerModel.value) ?? models[0]
  return found === undefined || !found.ai ? modelLabel('local-planner') : found
}

function ModelChip(): VNode {
  const { label, ai } = answering()
  return (
    <button type="button" class="chip" aria-haspopup="dialog" onClick={() => (sheet.value = 'model')}>
      <span class={ai ? 'dot ai' : 'dot'} />
      <span class="unseen">Model: </span>
      <b>
        <Name text={label} />
      </b>
      {!ai && <span class="badge">rule-based, no AI</span>}
      <Icon name="chevron" />
    </button>
  )
}

const themeIcons = { auto: 'half', light: 'sun', dark: 'moon' } as const

function ThemeSwitch(): VNode {
  const words = `Theme: ${theme.value}`
  return (
    <button type="button" class="icon-button" aria-label={words} title={words} onClick={nextTheme}>
      <Icon name={themeIcons[theme.value]} />
    </button>
  )
}
