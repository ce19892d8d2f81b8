// The models of this page: the local planner, and two kinds of servers whose code is loaded when one is chosen.
import type { Model } from '../../src/model/model.ts'
import { localPlanner } from '../../src/local.ts'
import { keyOf } from './keys.ts'
import { openaiDefault } from './settings.ts'
import type { ModelChoice } from './settings.ts'

/** The model of a choice. The key is asked for at each request. */
export function modelOf(choice: ModelChoice): Model {
  const { provider, model } = choice
  if (provider === 'planner') return localPlanner()
  if (provider === 'anthropic') return lazyModel(model, 'anthropic', () => loadAnthropic(model))
  const baseUrl = choice.baseUrl.trim() === '' ? openaiDefault : choice.baseUrl.trim()
  return lazyModel(model, 'openai', () => loadOpenai(model, baseUrl))
}

async function loadAnthropic(model: string): Promise<Model> {
  const { anthropic } = await import('../../src/anthropic.ts')
  return anthropic({ model, apiKey: () => keyOf('anthropic') })
}

async function loadOpenai(model: string, baseUrl: string): Promise<Model> {
  const { openaiChat } = await import('../../src/openai.ts')
  // A local server wants no key, and some refuse an empty one.
  return keyOf('openai') === ''
    ? openaiChat({ model, baseUrl })
    : openaiChat({ model, baseUrl, apiKey: () => keyOf('openai') })
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
