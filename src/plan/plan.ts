// `plan()`: steps that depend on each other, put together by code or taken from JSON. Nothing runs here.
import { excerpt } from '../json/text.ts'
import { copyJson, isObject, own } from '../json/value.ts'
import type { Json } from '../json/value.ts'
import { checkStep, mostSteps } from './check.ts'
import { planInvalid } from './problem.ts'
import type { PlanJson, StepJson, StepOptions } from './step.ts'

/** A plan never changes: `step` gives a new one. */
export interface Plan {
  readonly steps: readonly StepOptions[]
  /**
   * The plan with one more step, which may refer to steps that are added later. Throws `plan-invalid` for a field that
   * is unknown or does not hold what it should; how steps fit together is looked at when the plan runs.
   */
  step(options: StepOptions): Plan
  /** Throws `plan-invalid` for a step with a function. */
  toJSON(): PlanJson
}

/**
 * An empty plan, or that of JSON which a model or a file gave: it is checked throughout and copied. At most 100,000
 * steps; values in a step nest at most 64 deep. Throws `plan-invalid` with the problem `shape`.
 */
export function plan(json?: PlanJson): Plan {
  const list = json === undefined ? [] : stepsOf(json)
  return planOf(list, list.length)
}

function stepsOf(json: unknown): StepOptions[] {
  if (!isObject(json)) throw planInvalid('shape', `expected { version: 1, steps }, got ${excerpt(json)}`)
  const unknown = Object.keys(json).find((key) => key !== 'version' && key !== 'steps')
  if (unknown !== undefined) {
    throw planInvalid('shape', `there is no field ${excerpt(unknown)}: known are version, steps`, { path: [unknown] })
  }
  const version = own(json, 'version')
  if (version !== 1) throw planInvalid('shape', `"version" must be 1, got ${excerpt(version)}`, { path: ['version'] })
  const steps = own(json, 'steps')
  if (!Array.isArray(steps)) {
    throw planInvalid('shape', `"steps" must be a list, got ${excerpt(steps)}`, { path: ['steps'] })
  }
  if (steps.length > mostSteps) throw tooMany(steps.length)
  return Array.from(steps, (step: unknown, index) => checkStep(step, { number: index + 1, functions: false }))
}

const tooMany = (count: number): Error =>
  planInvalid('shape', `expected at most ${mostSteps} steps, got ${count}`, { path: ['steps'] })

/** The first `count` of a list that plans which grew from each other share, so that adding a step copies nothing. */
function planOf(list: StepOptions[], count: number): Plan {
  let steps: readonly StepOptions[] | undefined
  const all = (): readonly StepOptions[] => (steps ??= list.slice(0, count))
  return {
    get steps() {
      return all()
    },
    step(options) {
      if (count >= mostSteps) throw tooMany(count + 1)
      const added = checkStep(options, { number: count + 1, functions: true })
      // Another plan grew from this one already.
      const own = list.length === count ? list : list.slice(0, count)
      own.push(added)
      return planOf(own, count + 1)
    },
    toJSON: () => ({ version: 1, steps: all().map(stepJson) }),
  }
}

function stepJson(step: StepOptions): StepJson {
  const field = Object.entries(step).find(([, value]) => typeof value === 'function')?.[0]
  if (field !== undefined) {
    throw planInvalid('shape', `"${field}" is a function, which JSON cannot hold`, { step: step.id, path: [field] })
  }
  return copyJson(step as unknown as Json) as unknown as StepJson
}
