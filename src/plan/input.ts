// Whether a step's input can fit its tool, told before anything runs.
import { excerpt } from '../json/text.ts'
import { isObject, own } from '../json/value.ts'
import type { Json } from '../json/value.ts'
import type { Entry } from '../registry/table.ts'
import { settle } from '../schema/coerce.ts'
import type { Schema } from '../schema/schema.ts'
import { issueText } from '../schema/standard.ts'
import { judge, judging } from './judge.ts'
import { isReference, literalIn, referencesIn, resolveTemplate } from './reference.ts'
import type { Reference, StepOptions, Template } from './step.ts'
import { typesOf } from './value-types.ts'
import type { FindProducer } from './value-types.ts'

export interface InputProblem {
  readonly message: string
  /** The field of the step, and the keys within it. */
  readonly path: readonly string[]
}

/**
 * What plainly does not fit, or `undefined`. Input without references is checked as the call will be. Else the literal
 * parts are, and references whose step says of which type they are; both only where no coercion could help.
 */
export function inputProblem(
  { input = {}, forEach }: StepOptions,
  entry: Entry,
  producerOf: FindProducer,
): InputProblem | undefined {
  if (typeof forEach !== 'function' && isReference(forEach)) {
    const types = typesOf(forEach, producerOf)
    if (types.length && !types.includes('array')) return notList(forEach, types)
  }
  if (typeof input === 'function') return undefined
  const name = excerpt(entry.name)
  const whole = literalIn(input)?.value ?? input
  if (typeof whole === 'string' && !entry.wrapped) {
    return { message: `tool ${name} takes an object, got the text ${excerpt(whole)}`, path: ['input'] }
  }
  if (!entry.input) return undefined
  const given = entry.wrapped ? bare(input) : { template: input, path: ['input'] }
  if (!given)
    return {
      message: `tool ${name} takes { input }, or a value that is no object, got ${excerpt(whole)}`,
      path: ['input'],
    }
  const { template, path } = given
  // An object comes to be the arguments, of which the value that the tool takes is a part.
  if (template === input && entry.wrapped && isReference(input) && typesOf(input, producerOf).includes('object')) {
    return undefined
  }
  const taking = { tool: entry.tool, input: entry.input }
  const problem = referencesIn(template).length
    ? partProblem(template, taking, producerOf)
    : wholeProblem(template, taking)
  return (
    problem && {
      message: `the input of tool ${name} does not fit: ${problem.message}`,
      path: [...path, ...problem.path],
    }
  )
}

const notList = (reference: Reference, types: readonly string[]): InputProblem => ({
  message: `"forEach" must be a list, got ${excerpt(reference)}, which is of type ${types.join(' or ')}`,
  path: ['forEach'],
})

/** What stands for the one value of a tool that takes no object. */
function bare(input: Template): { readonly template: Template; readonly path: readonly string[] } | undefined {
  const literal = literalIn(input)
  const value = literal ? literal.value : input
  if (!isObject(value) || (!literal && isReference(value))) return { template: input, path: ['input'] }
  const inner = own(value, 'input') as Template | undefined
  if (inner === undefined) return undefined
  return { template: literal ? { $value: inner } : inner, path: ['input', 'input'] }
}

interface Taking {
  readonly tool: Entry['tool']
  readonly input: Schema
}

function wholeProblem(template: Template, { input, tool }: Taking): InputProblem | undefined {
  const resolved = resolveTemplate(template, { values: {} })
  if (!resolved.ok) return undefined
  const settled = settle(input, resolved.value, tool.coerce)
  if (settled.ok) return undefined
  return { message: issueText(settled.issues, resolved.value), path: (settled.issues[0]?.path ?? []).map(String) }
}

function partProblem(template: Template, { input, tool }: Taking, producerOf: FindProducer): InputProblem | undefined {
  const root = input.accepts ?? input.json
  const judged = judging(root, tool.coerce, producerOf)
  judge(judged, root, { value: template, isLiteral: false })
  if (!judged.doubts.length) return undefined
  // A validator may take more than its JSON Schema says, so it has the last word.
  const settled = settle(input, sampled(template, judged.samples), tool.coerce)
  if (settled.ok) return undefined
  return judged.doubts.find(({ path }) => settled.issues.some((issue) => isNear(issue.path, path)))
}

/** The template with samples for references, and without those that have none. */
function sampled(template: unknown, samples: ReadonlyMap<Reference, Json>): unknown {
  if (typeof template !== 'object' || template === null) return template
  if (isReference(template)) return samples.get(template)
  const literal = literalIn(template)
  if (literal) return literal.value
  if (Array.isArray(template)) return template.map((part) => sampled(part, samples) ?? null)
  const entries = Object.entries(template).map(([key, part]) => [key, sampled(part, samples)] as const)
  return Object.fromEntries(entries.filter(([, part]) => part !== undefined))
}

/** Whether one path leads to the other: validators tell of a missing or unknown key at the object or at the key. */
const isNear = (issue: readonly (string | number)[], path: readonly string[]): boolean =>
  path.every((key, index) => index >= issue.length || String(issue[index]) === key)
