// Holds a template with references against a schema: what plainly cannot fit, whatever the references come to.
import { excerpt } from '../json/text.ts'
import { isObject, own } from '../json/value.ts'
import { toPointer } from '../json/pointer.ts'
import type { Json } from '../json/value.ts'
import type { Entry } from '../registry/table.ts'
import { settle } from '../schema/coerce.ts'
import {
  childSchema,
  isNever,
  isSpent,
  isTyped,
  listOf,
  misfits,
  resolve,
  unionsOf,
  wantedTypes,
} from '../schema/fit.ts'
import type { Walk } from '../schema/fit.ts'
import type { JsonSchema } from '../schema/schema.ts'
import { isReference, literalIn } from './reference.ts'
import type { Reference } from './step.ts'
import { canBecome, typesOf } from './value-types.ts'
import type { FindProducer } from './value-types.ts'

/** A place that seems not to fit. */
export interface Doubt {
  readonly path: readonly string[]
  readonly message: string
}

export interface Judging extends Walk {
  readonly coerce: Entry['tool']['coerce']
  readonly producerOf: FindProducer
  /** Of the part being judged. */
  readonly path: string[]
  readonly doubts: Doubt[]
  /** For each reference in doubt, a value as it would be. */
  readonly samples: Map<Reference, Json>
}

/** Where a template begins to be taken literally, references in it are data. */
interface Part {
  readonly value: unknown
  readonly isLiteral: boolean
}

export function judging(root: JsonSchema, coerce: Judging['coerce'], producerOf: FindProducer): Judging {
  return { root, depth: 0, steps: 0, coerce, producerOf, path: [], doubts: [], samples: new Map() }
}

/** Notes the doubts about a part of a template at a node of the schema. */
export function judge(judging: Judging, node: unknown, part: Part): void {
  if (node === undefined || isSpent(judging)) return
  const literal = part.isLiteral ? undefined : literalIn(part.value)
  const taken = literal ? { value: literal.value, isLiteral: true } : part
  const schema = resolve(judging.root, node)
  judging.depth++
  judgeNode(judging, schema, taken)
  for (const branches of unionsOf(schema)) judgeUnion(judging, branches, taken)
  for (const inner of listOf(schema['allOf'])) judge(judging, inner, taken)
  judging.depth--
}

function doubt({ doubts, path }: Judging, wanted: string, got: string): void {
  doubts.push({ path: [...path], message: `${toPointer(path) || 'The value'}: wanted ${wanted}, got ${got}` })
}

function judgeNode(judging: Judging, schema: JsonSchema, { value, isLiteral }: Part): void {
  const { coerce } = judging
  const types = wantedTypes(schema)
  const wanted = types.length ? types.join(' or ') : 'no such value'
  if (!isLiteral && isReference(value)) judgeReference(judging, types, value)
  else if (isNever(schema)) doubt(judging, 'nothing there', excerpt(value))
  else if (typeof value !== 'object' || value === null) {
    const check = (made: unknown) =>
      misfits(schema, made) ? { ok: false as const, issues: [] } : { ok: true as const, value: made }
    // Coercion may still make it fit.
    if (!settle({ json: schema, check }, value, coerce).ok) doubt(judging, wanted, excerpt(value))
  } else if (isTyped(types, value)) judgeChildren(judging, schema, { value, isLiteral })
  else if (coerce !== 'loose' || !types.includes('array')) doubt(judging, wanted, excerpt(value))
}

function judgeReference(judging: Judging, types: readonly string[], reference: Reference): void {
  const given = typesOf(reference, judging.producerOf)
  if (!types.length || !given.length || given.some((from) => canBecome(from, types, judging.coerce))) return
  doubt(judging, types.join(' or '), `${excerpt(reference)}, which is of type ${given.join(' or ')}`)
  judging.samples.set(reference, sampleOf(given[0]))
}

function sampleOf(type: string | undefined): Json {
  const samples: Readonly<Record<string, Json>> = { object: {}, array: [], boolean: true, string: 'text', null: null }
  return samples[type ?? ''] ?? 1
}

function judgeChildren(judging: Judging, schema: JsonSchema, { value, isLiteral }: Part): void {
  const required = isObject(value) ? listOf(schema['required']).map(String) : []
  for (const key of required) {
    if (own(value, key) !== undefined) continue
    inside(judging, key, () => doubt(judging, 'a value', 'nothing'))
  }
  for (const [key, field] of Object.entries(value as object) as [string, unknown][]) {
    // The first is dropped on the way to the tool, the second left out.
    if (key === '__proto__' || (field === null && isObject(value) && !required.includes(key))) continue
    inside(judging, key, () => judge(judging, childSchema(schema, value, key), { value: field, isLiteral }))
  }
}

function inside(judging: Judging, key: string, work: () => void): void {
  judging.path.push(key)
  work()
  judging.path.pop()
}

/** In doubt only where every branch is. */
function judgeUnion(judging: Judging, branches: readonly unknown[], part: Part): void {
  const trials = branches.map((branch) => {
    const trial: Judging = { ...judging, doubts: [], samples: new Map() }
    judge(trial, branch, part)
    judging.steps = trial.steps
    return trial
  })
  if (trials.some((trial) => !trial.doubts.length)) return
  for (const trial of trials) for (const [reference, sample] of trial.samples) judging.samples.set(reference, sample)
  const { path } = judging
  const message = trials[0]?.doubts[0]?.message ?? ''
  judging.doubts.push({
    path: [...path],
    message: trials.length > 1 ? `${message} (and so for each alternative)` : message,
  })
}
