// Takes in a template that a model or a file gave: a checked copy that shares nothing with it.
import { excerpt } from '../json/text.ts'
import { isPlain } from '../json/value.ts'
import type { Json, JsonObject } from '../json/value.ts'
import { planInvalid } from './problem.ts'
import type { Reference, Template } from './step.ts'

const deepest = 64
const mostValues = 1_000_000

/** A copy being made: of what, and where in it. */
export interface Intake {
  readonly step: string
  readonly path: string[]
  /** Whether there is an item to refer to. */
  readonly hasItem: boolean
  values: number
}

export const intakeOf = (step: string, field: string, hasItem: boolean): Intake => ({
  step,
  path: [field],
  hasItem,
  values: 0,
})

/** Throws `plan-invalid` for what is no JSON, for odd references, beyond 64 levels and beyond 1,000,000 values. */
export function copyTemplate(intake: Intake, value: unknown): Template {
  return copy(intake, value, copyBraces)
}

/** The same where references mean nothing. */
export function copyLiteral(intake: Intake, value: unknown): Json {
  return copy(intake, value, copyLiteralFields) as Json
}

type CopyObject = (intake: Intake, value: JsonObject) => Template

function copy(intake: Intake, value: unknown, copyObject: CopyObject): Template {
  if (intake.path.length > deepest + 1) throw odd(intake, `at most ${deepest} levels of nesting`, 'more')
  if (++intake.values > mostValues) throw odd(intake, 'at most 1,000,000 values', 'more')
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  // There is no -0 in JSON text.
  if (typeof value === 'number' && Number.isFinite(value)) return value + 0
  if (!isPlain(value)) throw odd(intake, 'JSON', nameOf(value))
  if (!Array.isArray(value)) return copyObject(intake, value)
  // Not by `map`, which leaves holes be.
  return Array.from(value, (item: unknown, index) => at(intake, String(index), () => copy(intake, item, copyObject)))
}

const nameOf = (value: unknown): string =>
  typeof value === 'object' ? 'an object that braces did not make' : excerptOf(value)

const excerptOf = (value: unknown): string => (typeof value === 'number' ? String(value) : excerpt(value))

/** Own keys by `Object.fromEntries`, so that `__proto__` stays data. */
const copyFields =
  (copyField: (intake: Intake, value: unknown) => unknown): CopyObject =>
  (intake, value) =>
    Object.fromEntries(
      Object.entries(value)
        .filter(([, field]) => field !== undefined)
        .map(([key, field]) => [key, at(intake, key, () => copyField(intake, field))]),
    ) as Template

const copyPlain = copyFields(copyTemplate)
const copyLiteralFields = copyFields(copyLiteral)

function copyBraces(intake: Intake, value: JsonObject): Template {
  const sign = ['$item', '$value', '$from'].find((key) => Object.hasOwn(value, key))
  if (!sign) return copyPlain(intake, value)
  const allowed = sign === '$value' ? [sign] : [sign, 'path']
  const further = Object.keys(value).find((key) => !allowed.includes(key))
  if (further !== undefined) {
    const escape = sign === '$value' ? '' : ' (an object that really has such a key is { $value: … })'
    throw odd(intake, `no keys but ${allowed.join(' and ')} in one with ${sign}${escape}`, excerpt(further))
  }
  if (sign === '$value') return { $value: at(intake, sign, () => copyLiteral(intake, value[sign])) as Template }
  return copyReference(intake, sign, value)
}

function copyReference(intake: Intake, sign: string, { $from, $item, path }: JsonObject): Reference {
  if (path !== undefined && typeof path !== 'string') throw odd(intake, 'a path that is a text', excerpt(path))
  const part = path === undefined ? {} : { path }
  if (sign === '$from') {
    if (typeof $from !== 'string') throw odd(intake, 'the id of a step in $from', excerpt($from))
    return { $from, ...part }
  }
  if ($item !== true) throw odd(intake, 'true in $item', excerpt($item))
  if (!intake.hasItem) throw odd(intake, 'a step with forEach around $item', 'none')
  return { $item, ...part }
}

function at<Made>(intake: Intake, key: string, make: () => Made): Made {
  intake.path.push(key)
  const made = make()
  intake.path.pop()
  return made
}

function odd({ step, path }: Intake, wanted: string, got: string): Error {
  const shown = path.length > 8 ? [...path.slice(0, 8), '…'] : path
  return planInvalid('shape', `expected ${wanted} at ${excerpt(shown.join('/'))}, got ${got}`, { step, path })
}
