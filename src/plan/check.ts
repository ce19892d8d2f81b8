// Checks a step that came from anywhere, and makes a copy of it that later changes of the original do not reach.
import { isSameloopError } from '../error/error.ts'
import { excerpt } from '../json/text.ts'
import { isObject, own } from '../json/value.ts'
import { planInvalid } from './problem.ts'
import { isReference } from './reference.ts'
import type { StepOptions } from './step.ts'
import { copyLiteral, copyTemplate, intakeOf } from './template.ts'

/** Most steps of a plan. */
export const mostSteps = 100_000

// Words of the expression language cannot be looked up in it, and `item` stands for something else.
const reserved = ['__proto__', 'item', 'true', 'false', 'null', 'and', 'or', 'not', 'in']
/** What a timer takes. */
const longestWait = 2_147_483_647

/** Where a step comes from: its number counts from 1; from JSON there are no functions. */
export interface StepSource {
  readonly number: number
  readonly functions: boolean
}

interface Checking {
  readonly step: string
  readonly functions: boolean
  readonly hasItem: boolean
}

type Check = (checking: Checking, value: unknown, field: string) => unknown

/** In the order in which JSON shows them. */
const checks: { readonly [Field in keyof Required<StepOptions>]: Check } = {
  id: (_, value) => value,
  tool: (checking, value, field) =>
    typeof value === 'string' && value
      ? value
      : refuse(checking, { field, wanted: 'the name or URI of a tool', value }),
  input: ({ step, hasItem, functions }, value, field) =>
    functions && typeof value === 'function' ? value : copyTemplate(intakeOf(step, field, hasItem), value),
  after: checkAfter,
  when: (checking, value, field) =>
    typeof value === 'string' || (checking.functions && typeof value === 'function')
      ? value
      : refuse(checking, { field, wanted: `an expression${orFunction(checking)}`, value }),
  retry: checkRetry,
  timeoutMs: (checking, value, field) =>
    isWithin(value, 0, longestWait) && value > 0
      ? value
      : refuse(checking, { field, wanted: `a number above 0 and up to ${longestWait}`, value }),
  onError: checkOnError,
  forEach: checkForEach,
  maxItems: (checking, value, field) =>
    isWithin(value, 1, 100_000) && Number.isInteger(value)
      ? value
      : refuse(checking, { field, wanted: 'a whole number from 1 to 100000', value }),
}

const fields = Object.keys(checks) as (keyof StepOptions)[]

/** A checked copy; fields that are `undefined` are left out. Throws `plan-invalid` with the problem `shape`. */
export function checkStep(value: unknown, { number, functions }: StepSource): StepOptions {
  try {
    return checkedStep(value, { number, functions })
  } catch (error) {
    if (isSameloopError(error)) throw error
    // A getter or a proxy; what it throws is not ours to show.
    throw planInvalid('shape', 'it cannot be read', { step: number, cause: error })
  }
}

function checkedStep(given: unknown, { number, functions }: StepSource): StepOptions {
  if (!isObject(given)) throw planInvalid('shape', `expected an object, got ${excerpt(given)}`, { step: number })
  // Each field is read once: what is checked is what is used.
  const value = Object.fromEntries(Object.entries(given))
  const step = checkId(own(value, 'id'), number)
  const unknown = Object.keys(value).find((key) => !Object.hasOwn(checks, key))
  if (unknown !== undefined) {
    throw planInvalid('shape', `there is no field ${excerpt(unknown)}: known are ${fields.join(', ')}`, {
      step,
      path: [unknown],
    })
  }
  const checking = { step, functions, hasItem: own(value, 'forEach') !== undefined }
  const checked = fields
    // The tool must be there; what is asked for anyway is asked for by its own check.
    .filter((field) => own(value, field) !== undefined || field === 'tool')
    .map((field) => [field, checks[field](checking, own(value, field), field)] as const)
  return Object.fromEntries(checked) as unknown as StepOptions
}

function checkId(id: unknown, number: number): string {
  const place = { step: number, path: ['id'] }
  if (typeof id !== 'string' || !/^[a-zA-Z0-9_-]{1,64}$/.test(id)) {
    throw planInvalid('shape', `"id" must be 1 to 64 of a-z A-Z 0-9 _ -, got ${excerpt(id)}`, place)
  }
  if (!reserved.includes(id)) return id
  throw planInvalid('shape', `"id" must be none of the reserved ${reserved.join(' ')}, got ${excerpt(id)}`, place)
}

interface Refused {
  readonly field: string
  readonly wanted: string
  readonly value: unknown
}

function refuse({ step }: Checking, { field, wanted, value }: Refused): never {
  throw planInvalid('shape', `"${field}" must be ${wanted}, got ${excerpt(value)}`, { step, path: field.split('.') })
}

const isWithin = (value: unknown, least: number, most: number): value is number =>
  typeof value === 'number' && value >= least && value <= most

const orFunction = ({ functions }: Checking): string => (functions ? ' or a function' : '')

function checkAfter(checking: Checking, value: unknown, field: string): unknown {
  const ids: unknown[] | undefined = Array.isArray(value) ? Array.from(value) : undefined
  return ids?.every((id) => typeof id === 'string')
    ? ids
    : refuse(checking, { field, wanted: 'a list of step ids', value })
}

function checkRetry(checking: Checking, value: unknown, field: string): unknown {
  const shape = '{ retries, delayMs? }'
  if (!isObject(value) || !hasOnly(value, ['retries', 'delayMs'])) {
    return refuse(checking, { field, wanted: shape, value })
  }
  const { retries, delayMs } = value
  if (!isWithin(retries, 0, 100) || !Number.isInteger(retries)) {
    refuse(checking, { field: 'retry.retries', wanted: 'a whole number from 0 to 100', value: retries })
  }
  if (delayMs === undefined) return { retries }
  if (isWithin(delayMs, 0, longestWait)) return { retries, delayMs }
  return refuse(checking, { field: 'retry.delayMs', wanted: `a number from 0 to ${longestWait}`, value: delayMs })
}

function checkOnError(checking: Checking, value: unknown, field: string): unknown {
  if (value === 'fail') return value
  if (!isObject(value) || !hasOnly(value, ['value']) || own(value, 'value') === undefined) {
    return refuse(checking, { field, wanted: '"fail" or { value }', value })
  }
  return { value: copyLiteral(intakeOf(checking.step, field, false), value['value']) }
}

function checkForEach(checking: Checking, value: unknown, field: string): unknown {
  if (checking.functions && typeof value === 'function') return value
  if (Array.isArray(value) || isReference(value)) return copyTemplate(intakeOf(checking.step, field, false), value)
  return refuse(checking, { field, wanted: `a list or a reference to one${orFunction(checking)}`, value })
}

const hasOnly = (value: object, keys: readonly string[]): boolean =>
  Object.keys(value).every((key) => keys.includes(key))
