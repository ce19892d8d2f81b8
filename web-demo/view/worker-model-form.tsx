// The models a worker offers, and the token it wants.
import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { modelLabel } from '../../element/view/model-label.ts'
import { isRemembered, keyOf, setKey } from '../state/keys.ts'
import { workerModel } from '../state/settings.ts'
import { lookForWorker, worker } from '../state/worker.ts'
import { closeSheet } from './dialog.tsx'
import { Field } from './field.tsx'

export function WorkerModelForm(): VNode {
  const { value } = worker
  const models = value.state === 'ready' ? value.models : []
  const chosen = useSignal(workerModel.peek() === '' ? (models[0]?.id ?? '') : workerModel.peek())
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault()
        workerModel.value = chosen.peek()
        closeSheet()
      }}
    >
      <p class="about">Models and their keys are set up at the worker. This page sends it no key of a provider.</p>
      <fieldset class="choices">
        <legend class="unseen">Model</legend>
        {models.map(({ id, label, ai }) => (
          <label key={id} class="choice">
            <input
              type="radio"
              name="model"
              value={id}
              checked={chosen.value === id}
              onChange={() => (chosen.value = id)}
            />
            <span>
              <b>{ai ? label : modelLabel(id).label}</b>
              {!ai && <span class="badge">rule-based, no AI</span>}
            </span>
          </label>
        ))}
      </fieldset>
      <TokenField />
      <footer>
        <span class="gap" />
        <button type="button" class="button cancel" onClick={closeSheet}>
          Cancel
        </button>
        <button type="submit" class="button main">
          Use this model
        </button>
      </footer>
    </form>
  )
}

/** The access token of a worker that wants one. */
export function TokenField(): VNode {
  const token = useSignal(keyOf('worker'))
  const remember = useSignal(isRemembered('worker'))
  const use = (): void => {
    setKey('worker', token.peek().trim(), { remember: remember.peek() })
    void lookForWorker()
  }
  return (
    <details class="token" open={worker.value.state === 'locked'}>
      <summary>Access token of the worker</summary>
      <Field label="Token" type="password" value={token} hint="Not needed where the worker runs on this computer." />
      <div class="keep">
        <label>
          <input
            type="checkbox"
            checked={remember.value}
            onChange={(event) => (remember.value = event.currentTarget.checked)}
          />
          Remember in this browser
        </label>
        <button type="button" class="button" onClick={use}>
          Use token
        </button>
      </div>
      {worker.value.state === 'locked' && <p class="hint">The edge worker is there, but {worker.value.why}.</p>}
    </details>
  )
}
