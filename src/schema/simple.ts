// Most schemas are simple: that a value fits one of those can be told without the validator.
import { isObject, isPlain, own } from '../json/value.ts'
import { hasType } from './fit.ts'
import { typeNames } from './keyword-table.ts'

const rules = ['type', 'enum', 'const', 'properties', 'required', 'additionalProperties', 'items']
/** They say nothing about a value. */
const annotations = ['title', 'description', 'default', 'examples', '$schema', '$comment', 'deprecated']

/** Whether a schema has only keywords that `simpleCheck` knows: no reference, address, union, pattern or bound. */
export function isSimple(node: unknown): boolean {
  if (!isObject(node)) return typeof node === 'boolean'
  const isKnown = (key: string): boolean => rules.includes(key) || (annotations.includes(key) && !isObject(node[key]))
  const children = [own(node, 'items') ?? true, own(node, 'additionalProperties') ?? true]
  // With both, a choice must be both.
  if (Object.hasOwn(node, 'const') && Object.hasOwn(node, 'enum')) return false
  return (
    Object.keys(node).every(isKnown) && [...children, ...Object.values(own(node, 'properties') ?? {})].every(isSimple)
  )
}

/** What a simple node holds; that its shape is right was checked before. */
interface SimpleNode {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly properties?: object
  readonly required?: readonly string[]
  readonly additionalProperties?: unknown
  readonly items?: unknown
}

/**
 * The check of a simple schema. A yes is sure. A no is not the last word: the value may be of an odd make, or equal to a
 * choice that is an object.
 */
export function simpleCheck(schema: unknown): (value: unknown) => boolean {
  if (!isObject(schema)) return () => schema === true
  const node: SimpleNode = schema
  const types = node.type === undefined ? typeNames : [node.type].flat()
  const choices = Object.hasOwn(node, 'const') ? [node.const] : node.enum
  const fitsInside = { array: arrayCheck(node), object: objectCheck(node) }
  return (value) => {
    if (!types.some((type) => hasType(value, type))) return false
    // Unlike `includes` it finds no NaN.
    if (choices && choices.indexOf(value) === -1) return false
    if (typeof value !== 'object' || value === null) return true
    return Array.isArray(value) ? fitsInside.array(value) : fitsInside.object(value)
  }
}

function arrayCheck({ items }: SimpleNode): (list: readonly unknown[]) => boolean {
  if (items === undefined) return () => true
  const fits = simpleCheck(items)
  return (list) => {
    // Unlike `every` it sees holes.
    for (const item of list) if (!fits(item)) return false
    return true
  }
}

function objectCheck({ properties = {}, required = [], additionalProperties }: SimpleNode): (value: object) => boolean {
  const children = Object.entries(properties).map(([key, child]) => [key, simpleCheck(child)] as const)
  const fitsRest = additionalProperties === undefined ? undefined : simpleCheck(additionalProperties)
  return (value) =>
    isPlain(value) &&
    required.every((key) => Object.hasOwn(value, key)) &&
    children.every(([key, fits]) => !Object.hasOwn(value, key) || fits(value[key])) &&
    (!fitsRest || Object.keys(value).every((key) => Object.hasOwn(properties, key) || fitsRest(value[key])))
}
