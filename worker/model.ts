// The models this worker offers: always the local planner, and a provider's where its variables are set.
import { anthropic } from '../src/anthropic.ts'
import { SameloopError } from '../src/error/error.ts'
import { localPlanner, plannerLabel } from '../src/local.ts'
import type { Model } from '../src/model/model.ts'
import { openaiChat } from '../src/openai.ts'
import { excerpt } from '../src/json/text.ts'
import type { OfferedModel } from '../adapters/cloudflare/index.ts'

export interface ModelVariables {
  /** With OPENAI_MODEL, offers `openai`: any server that speaks chat completions, OpenAI's where no OPENAI_BASE_URL is set. */
  readonly OPENAI_API_KEY?: string | undefined
  readonly OPENAI_BASE_URL?: string | undefined
  readonly OPENAI_MODEL?: string | undefined
  /** With ANTHROPIC_MODEL, offers `anthropic`. */
  readonly ANTHROPIC_API_KEY?: string | undefined
  readonly ANTHROPIC_MODEL?: string | undefined
}

interface Offer extends OfferedModel {
  readonly make: () => Model
}

function offers(env: ModelVariables): readonly Offer[] {
  const list: Offer[] = [{ id: 'local-planner', label: plannerLabel, ai: false, make: () => localPlanner() }]
  const { OPENAI_API_KEY: openaiKey, OPENAI_BASE_URL: baseUrl, OPENAI_MODEL: openaiModel } = env
  if (isSet(openaiModel) && (isSet(openaiKey) || isSet(baseUrl))) {
    const options = {
      model: openaiModel,
      ...(isSet(openaiKey) ? { apiKey: openaiKey } : {}),
      ...(isSet(baseUrl) ? { baseUrl } : {}),
    }
    list.push({ id: 'openai', label: openaiModel, ai: true, make: () => openaiChat(options) })
  }
  const { ANTHROPIC_API_KEY: apiKey, ANTHROPIC_MODEL: model } = env
  if (isSet(model) && isSet(apiKey)) {
    list.push({ id: 'anthropic', label: model, ai: true, make: () => anthropic({ model, apiKey }) })
  }
  return list
}

const isSet = (value: string | undefined): value is string => value !== undefined && value !== ''

export function offeredModels(env: ModelVariables): readonly OfferedModel[] {
  return offers(env).map(({ id, label, ai }) => ({ id, label, ai }))
}

/** The model a client asked for, the planner by default. Throws `config-invalid` for one that is not offered. */
export function modelOf(env: ModelVariables, id: string | undefined): Model {
  const list = offers(env)
  const offer = id === undefined ? list[0] : list.find((one) => one.id === id)
  if (offer !== undefined) return offer.make()
  const ids = list.map((one) => `"${one.id}"`).join(', ')
  throw new SameloopError('config-invalid', `Cannot use the model ${excerpt(id)}: wanted one of ${ids}`)
}
