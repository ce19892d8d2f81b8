// A gate before each model call: somebody, or a rule, says whether it may happen.
import { SameloopError } from '../error/error.ts'
import type { ModelRequest } from '../model/model.ts'
import type { Middleware } from './middleware.ts'

/** `true` lets the call happen; a text is the reason why not. */
export type ModelGate = (request: ModelRequest) => boolean | string | Promise<boolean | string>

/**
 * Asks before every model call. A refusal ends the run with `model-denied`; all work is kept, and its snapshot can be
 * resumed, where the gate is asked again. A gate that throws refuses.
 */
export function gateModels(gate: ModelGate): Middleware {
  return {
    name: 'gate-models',
    async *model(request, next) {
      const verdict = await ask(gate, request)
      if (verdict === true) return yield* next(request)
      const why = typeof verdict === 'string' ? `: ${verdict}` : ''
      throw new SameloopError('model-denied', `The model call was refused${why}`, { retryable: true })
    },
  }
}

async function ask(gate: ModelGate, request: ModelRequest): Promise<boolean | string> {
  try {
    return await gate(request)
  } catch {
    return 'the gate failed'
  }
}
