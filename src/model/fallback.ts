// One model made of several: when one fails before it said anything, the next is asked.
import { SameloopError } from '../error/error.ts'
import type { Model } from './model.ts'

/**
 * Asks the models in order; once events came from one, its failure is the request's. Each change is told to `onRetry`.
 * An abort is never passed on to the next. Name and provider are those of the first.
 */
export function fallback(models: readonly Model[]): Model {
  const [first] = models
  if (!first) throw new SameloopError('config-invalid', 'Wanted at least one model for fallback, got none')
  const asks = models.some((model) => model.capabilities.asksFor === 'effects')
  return {
    id: first.id,
    provider: first.provider,
    capabilities: asks ? { asksFor: 'effects' } : {},
    async *stream(request, call) {
      for (const [index, model] of models.entries()) {
        let begun = false
        try {
          for await (const events of model.stream(request, call)) {
            begun = true
            yield events
          }
          return
        } catch (error) {
          const next = models[index + 1]
          if (begun || !next || call.signal?.aborted) throw error
          call.onRetry?.(index + 1, 0, `Model "${model.id}" failed, falling back to "${next.id}"`)
        }
      }
    },
  }
}
