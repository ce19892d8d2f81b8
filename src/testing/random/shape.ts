// Random schemas, and for each of them values that fit, values that fit after coercion, and values that never do.
import type { Json } from '../../json/value.ts'
import { isObject } from '../../json/value.ts'
import type { JsonSchema } from '../../schema/schema.ts'
import type { Random } from './prng.ts'

interface Field {
  readonly name: string
  readonly shape: Shape
  readonly isOptional: boolean
}

/** A schema that is simple enough to be judged here a second time, without the library. */
export type Shape =
  | { readonly kind: 'number'; readonly isWhole: boolean; readonly least: number; readonly most: number }
  | { readonly kind: 'text'; readonly least: number; readonly most: number }
  | { readonly kind: 'flag' }
  | { readonly kind: 'choice'; readonly of: readonly string[] }
  | { readonly kind: 'list'; readonly item: Shape; readonly least: number; readonly most: number }
  | { readonly kind: 'fields'; readonly fields: readonly Field[]; readonly isOpen: boolean }
  | { readonly kind: 'nullable'; readonly of: Shape; readonly isUnion: boolean }

/** Names that objects inherit are among them, and one that a pointer must escape. */
const names = ['id', 'city', 'note', 'constructor', 'toString', 'a/b', 'größe']
const characters = ['a', 'b', ' ', '"', '\\', 'é', '日', '😀', '5']

export function randomShape(random: Random, depth = 2): Shape {
  const deep = depth > 0 ? 2 : 0
  const kind = random.weighted({ number: 3, text: 3, flag: 1, choice: 2, list: deep, fields: deep, nullable: deep })
  const least = random.int(0, 2)
  if (kind === 'number') return { kind, isWhole: random.chance(0.5), least, most: least + random.int(1, 50) }
  if (kind === 'text') return { kind, least, most: least + random.int(1, 6) }
  if (kind === 'flag') return { kind }
  if (kind === 'choice') return { kind, of: ['red', 'green', 'blue'].slice(0, random.int(1, 3)) }
  if (kind === 'list') return { kind, item: randomShape(random, depth - 1), least, most: least + random.int(1, 3) }
  if (kind === 'fields') return randomFields(random, depth - 1)
  const of = randomShape(random, 0)
  return { kind, of, isUnion: random.chance(0.5) || of.kind === 'choice' }
}

/** An object, which is what the parameters of most tools are. */
export function randomFields(random: Random, depth = 2): Shape {
  const fields = names
    .filter(() => random.chance(0.4))
    .map((name) => ({ name, shape: randomShape(random, depth), isOptional: random.chance(0.4) }))
  return { kind: 'fields', fields, isOpen: random.chance(0.5) }
}

export function schemaOf(shape: Shape): JsonSchema {
  if (shape.kind === 'number')
    return { type: shape.isWhole ? 'integer' : 'number', minimum: shape.least, maximum: shape.most }
  if (shape.kind === 'text') return { type: 'string', minLength: shape.least, maxLength: shape.most }
  if (shape.kind === 'flag') return { type: 'boolean' }
  if (shape.kind === 'choice') return { type: 'string', enum: shape.of }
  if (shape.kind === 'list')
    return { type: 'array', items: schemaOf(shape.item), minItems: shape.least, maxItems: shape.most }
  if (shape.kind === 'nullable') {
    const of = schemaOf(shape.of)
    return shape.isUnion ? { anyOf: [of, { type: 'null' }] } : { ...of, type: [of['type'], 'null'] }
  }
  return {
    type: 'object',
    properties: Object.fromEntries(shape.fields.map((field) => [field.name, schemaOf(field.shape)])),
    required: shape.fields.filter(({ isOptional }) => !isOptional).map(({ name }) => name),
    ...(shape.isOpen ? {} : { additionalProperties: false }),
  }
}

/** Whether a value fits: the second opinion. */
export function fits(shape: Shape, value: unknown): boolean {
  const within = (size: number, { least, most }: { readonly least: number; readonly most: number }): boolean =>
    size >= least && size <= most
  if (shape.kind === 'number')
    return typeof value === 'number' && within(value, shape) && (!shape.isWhole || Number.isInteger(value))
  if (shape.kind === 'text') return typeof value === 'string' && within(Array.from(value).length, shape)
  if (shape.kind === 'flag') return typeof value === 'boolean'
  if (shape.kind === 'choice') return typeof value === 'string' && shape.of.includes(value)
  if (shape.kind === 'list')
    return Array.isArray(value) && within(value.length, shape) && value.every((item) => fits(shape.item, item))
  if (shape.kind === 'nullable') return value === null || fits(shape.of, value)
  if (!isObject(value)) return false
  const { fields, isOpen } = shape
  const isKnown = (key: string): boolean => fields.some(({ name }) => name === key)
  return (
    fields.every(({ name, shape: of, isOptional }) =>
      Object.hasOwn(value, name) ? fits(of, value[name]) : isOptional,
    ) &&
    (isOpen || Object.keys(value).every(isKnown))
  )
}

const times = <Value>(count: number, make: () => Value): Value[] => Array.from({ length: count }, make)

export function fitting(random: Random, shape: Shape): Json {
  if (shape.kind === 'number') {
    const { least, most, isWhole } = shape
    return random.int(least, most - 1) + (isWhole || random.chance(0.5) ? 0 : 0.5)
  }
  if (shape.kind === 'text') return times(random.int(shape.least, shape.most), () => random.pick(characters)).join('')
  if (shape.kind === 'flag') return random.chance(0.5)
  if (shape.kind === 'choice') return random.pick(shape.of)
  if (shape.kind === 'list') return times(random.int(shape.least, shape.most), () => fitting(random, shape.item))
  if (shape.kind === 'nullable') return random.chance(0.3) ? null : fitting(random, shape.of)
  const given = shape.fields.filter(({ isOptional }) => !isOptional || random.chance(0.6))
  const more = shape.isOpen && random.chance(0.2) ? [['extra', 1] as const] : []
  return Object.fromEntries([...given.map((field) => [field.name, fitting(random, field.shape)] as const), ...more])
}

/** What models like to send in the place of a value that fits, and what the coercion table mends. */
export function coercible(random: Random, shape: Shape): Json {
  if (shape.kind === 'number') return String(fitting(random, shape))
  if (shape.kind === 'flag') return random.pick<Json>(['true', 'false', 1, 0])
  if (shape.kind === 'text' || shape.kind === 'choice') return fitting(random, shape)
  if (shape.kind === 'nullable') return random.chance(0.3) ? null : coercible(random, shape.of)
  if (random.chance(0.3)) return JSON.stringify(fitting(random, shape))
  if (shape.kind === 'list') return times(random.int(shape.least, shape.most), () => coercible(random, shape.item))
  const valueOf = ({ shape: of, isOptional }: Field): Json =>
    isOptional && of.kind !== 'nullable' && random.chance(0.5) ? null : coercible(random, of)
  return Object.fromEntries(shape.fields.map((field) => [field.name, valueOf(field)]))
}

/** What no coercion makes fit. */
export function misfitting(random: Random, shape: Shape): Json {
  if (shape.kind === 'number') return random.pick<Json>([shape.most + 1, shape.least - 1, 'many', '', {}])
  if (shape.kind === 'text') return random.pick<Json>([[], {}, 'x'.repeat(shape.most + 1)])
  if (shape.kind === 'flag') return random.pick<Json>(['maybe', 2, {}])
  if (shape.kind === 'choice') return random.pick<Json>(['none of them', {}])
  if (shape.kind === 'nullable') return misfitting(random, shape.of)
  if (shape.kind === 'list')
    return random.chance(0.5)
      ? times(shape.most + 1, () => fitting(random, shape.item))
      : times(Math.max(1, shape.least), () => misfitting(random, shape.item))
  const [field] = shape.fields.length > 0 ? [random.pick(shape.fields)] : []
  if (field === undefined) return random.pick<Json>([5, [1]])
  const good = fitting(random, shape) as { readonly [key: string]: Json }
  const { [field.name]: _, ...without } = good
  if (!field.isOptional && random.chance(0.3)) return without
  if (!shape.isOpen && random.chance(0.3)) return { ...good, surplus: true }
  return { ...without, [field.name]: misfitting(random, field.shape) }
}
