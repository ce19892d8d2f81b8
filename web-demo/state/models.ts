// The models of this page: the local planner, and two kinds of servers whose code is loaded when one is chosen.
import type { Model } from '../../src/model/model.ts'
import { localPlanner } from '../../src/local.ts'
import { keyOf } from './keys.ts'
import { baseUrlOf, keyNameOf } from './settings.ts'
import type { ModelChoice } from './settings.ts'

/** The model of a choice. The key is asked for at each request; by default it is the one of the choice. */
export function modelOf(choice: ModelChoice, key: () => string = () => keyOf(keyNameOf(choice))): Model {
  const { provider, model } = choice
  if (provider === 'planner') return localPlanner()
  if (provider === 'anthropic') return lazyModel(model, 'anthropic', () => loadAnthropic(model, key))
  return lazyModel(model, 'openai', () => loadOpenai(model, baseUrlOf(choice), key))
}

async function loadAnthropic(model: string, apiKey: () => string): Promise<Model> {
  const { anthropic } = await import('../../src/anthropic.ts')
  return anthropic({ model, apiKey })
}

async function loadOpenai(model: string, baseUrl: string, apiKey: () => string): Promise<Model> {
  const { openaiChat } = await import('../../src/openai.ts')
  // A local server wants no key, and some refuse an empty one.
  return apiKey() === '' ? openaiChat({ model, baseUrl }) : openaiChat({ model, baseUrl, apiKey })
}

function lazyModel(id: string, provider: string, load: () => Promise<Model>): Model {
  return {
    id,
    provider,
    capabilities: {},
    async *stream(request, call) {
      const model = await load()
      yield* model.stream(request, call)
    },
  }
}
