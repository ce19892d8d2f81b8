// The model of this page: the local planner, an OpenAI-compatible server, or Anthropic.
import { useComputed, useSignal, useSignalEffect } from '@preact/signals'
import type { Signal } from '@preact/signals'
import type { VNode } from 'preact'
import { deleteKey, isRemembered, keyOf, setKey } from '../state/keys.ts'
import type { TestResult } from '../state/engine.ts'
import { choice, keyNameOf, missingIn, openaiDefault } from '../state/settings.ts'
import type { ModelChoice, Provider } from '../state/settings.ts'
import { closeSheet } from './dialog.tsx'
import { Field } from './field.tsx'

const providers: readonly (readonly [Provider, string, string])[] = [
  ['planner', 'Local planner', 'Fixed rules, no AI. Needs no key and no network.'],
  ['openai', 'OpenAI-compatible', 'OpenAI, or any server that speaks its API: Ollama, LM Studio, llama.cpp, vLLM.'],
  ['anthropic', 'Anthropic', 'Claude models, asked directly from this page.'],
]

const servers = [openaiDefault, 'http://127.0.0.1:11434/v1', 'http://127.0.0.1:1234/v1', 'http://127.0.0.1:8080/v1']

interface Draft {
  readonly provider: Signal<Provider>
  readonly model: Signal<string>
  readonly baseUrl: Signal<string>
  readonly key: Signal<string>
  readonly remember: Signal<boolean>
}

function useDraft(): Draft {
  const { provider, model, baseUrl } = choice.peek()
  const draft = {
    provider: useSignal(provider),
    model: useSignal(model),
    baseUrl: useSignal(baseUrl),
    key: useSignal(''),
    remember: useSignal(false),
  }
  const keyName = useComputed(() => keyNameOf({ provider: draft.provider.value, baseUrl: draft.baseUrl.value }))
  // What was typed for one server is not shown, kept or sent for another.
  useSignalEffect(() => {
    draft.key.value = keyOf(keyName.value)
    draft.remember.value = isRemembered(keyName.value)
  })
  return draft
}

const nameOf = ({ provider, baseUrl }: Draft): ReturnType<typeof keyNameOf> =>
  keyNameOf({ provider: provider.peek(), baseUrl: baseUrl.peek() })

function choose(draft: Draft, provider: Provider): void {
  draft.provider.value = provider
  draft.model.value = choice.peek().provider === provider ? choice.peek().model : ''
}

/** Keeps the key, so that the model finds it. */
function takeKey(draft: Draft): void {
  const { provider, key, remember } = draft
  if (provider.peek() !== 'planner') setKey(nameOf(draft), key.peek().trim(), { remember: remember.peek() })
}

export function PageModelForm(): VNode {
  const draft = useDraft()
  const tested = useSignal<TestResult | undefined>(undefined)
  const chosen = useComputed<ModelChoice>(() => ({
    provider: draft.provider.value,
    model: draft.model.value.trim(),
    baseUrl: draft.baseUrl.value.trim(),
  }))
  const missing = missingIn(chosen.value, draft.key.value.trim())
  const test = async (): Promise<void> => {
    tested.value = { state: 'busy' }
    const { testModel } = await import('../state/engine.ts')
    tested.value = await testModel(chosen.peek(), draft.key.peek().trim())
  }
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault()
        if (missing !== undefined) return
        takeKey(draft)
        choice.value = chosen.peek()
        closeSheet()
      }}
    >
      <Providers draft={draft} />
      {draft.provider.value !== 'planner' && <ServerFields draft={draft} />}
      {tested.value !== undefined && <Tested result={tested.value} />}
      <footer>
        {draft.provider.value !== 'planner' && (
          <button
            type="button"
            class="button"
            disabled={missing !== undefined || tested.value?.state === 'busy'}
            onClick={() => void test()}
          >
            Test
          </button>
        )}
        <span class="missing" role="status">
          {missing}
        </span>
        <span class="gap" />
        <button type="button" class="button cancel" onClick={closeSheet}>
          Cancel
        </button>
        <button type="submit" class="button main" disabled={missing !== undefined}>
          Use this model
        </button>
      </footer>
    </form>
  )
}

function Providers({ draft }: { readonly draft: Draft }): VNode {
  return (
    <fieldset class="choices">
      <legend class="unseen">Provider</legend>
      {providers.map(([id, words, about]) => (
        <label key={id} class="choice">
          <input
            type="radio"
            name="provider"
            value={id}
            checked={draft.provider.value === id}
            onChange={() => choose(draft, id)}
          />
          <span>
            <b>{words}</b>
            <span class="about">{about}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}

function ServerFields({ draft }: { readonly draft: Draft }): VNode {
  const isOpenai = draft.provider.value === 'openai'
  return (
    <div class="fields">
      {isOpenai && (
        <Field
          label="Address"
          type="url"
          value={draft.baseUrl}
          placeholder={openaiDefault}
          list={servers}
          hint="A local server must allow requests from this page (CORS)."
        />
      )}
      <Field label="Model" value={draft.model} placeholder={isOpenai ? 'gpt-5-mini, qwen3:8b, …' : 'claude-…'} />
      <Field label="Key" type="password" value={draft.key} placeholder={isOpenai ? 'None for a local server' : ''} />
      <div class="keep">
        <label>
          <input
            type="checkbox"
            checked={draft.remember.value}
            onChange={(event) => (draft.remember.value = event.currentTarget.checked)}
          />
          Remember in this browser
        </label>
        <span class="hint">
          Otherwise the key is gone with this tab. It is sent to this {isOpenai ? 'server' : 'provider'} only
          {isOpenai && ': another address has a key of its own'}.
        </span>
        {draft.key.value !== '' && (
          <button
            type="button"
            class="link"
            onClick={() => {
              deleteKey(nameOf(draft))
              draft.key.value = ''
              draft.remember.value = false
            }}
          >
            Delete key
          </button>
        )}
      </div>
    </div>
  )
}

function Tested({ result }: { readonly result: TestResult }): VNode {
  if (result.state === 'busy')
    return (
      <p class="tested" role="status">
        Asking…
      </p>
    )
  return (
    <div class={`tested ${result.state}`} role="status">
      <b>{result.words}</b>
      {result.next !== undefined && <span>{result.next}</span>}
    </div>
  )
}
