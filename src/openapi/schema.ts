// The schemas of a document as JSON Schema: each converted once, referred to by name, never expanded.
import { cut, jsonText } from '../json/text.ts'
import { isObject, own } from '../json/value.ts'
import type { JsonObject } from '../json/value.ts'
import { inPlace, keywordShapes, typeNames } from '../schema/keyword-table.ts'
import type { JsonSchema } from '../schema/schema.ts'
import { uniqueNames } from '../tool/tool-names.ts'
import { findReference, follow, unusable } from './document.ts'
import type { OpenApiDocument } from './document.ts'

/** A name as every provider takes it for a property: 1 to 64 of `a-z A-Z 0-9 _ . -`. */
export function safeKey(name: string): string {
  const safe = name.replace(/[^a-zA-Z0-9_.-]+/g, '_').slice(0, 64)
  return safe === '__proto__' ? 'proto' : safe || '_'
}

/** What is sent has no `readOnly` properties, what comes back has no `writeOnly` ones. */
export type Side = 'request' | 'response'

/** A schema that others refer to. */
interface Definition {
  readonly name: string
  readonly uses: Set<Definition>
  schema: unknown
  size: number
  problem: unknown
}

/** The definitions that a schema refers to, collected while it is converted. */
export type Uses = Set<Definition>

export interface Schemas {
  /** A node as JSON Schema. Throws for references that cannot be followed, and for nesting beyond 64 levels. */
  convert(node: unknown, uses: Uses): JsonSchema | boolean
  /** The schema with its `$defs`. Throws where those are unusable or too many. */
  close(schema: JsonSchema, uses: Uses): JsonSchema
}

const deepest = 64
/** One for each schema, one for each 16 characters of text. Definitions count anew for each tool. */
const largest = 50_000
/** A request's schema is made ready for checking at once, a response's with the first answer. */
const largestInAll = { request: 300_000, response: 1_000_000 } as const
const longestText = 1000
/** Parts of an `allOf` that are searched for what their neighbours have. */
const mostParts = 100

interface State {
  readonly document: OpenApiDocument
  readonly side: Side
  readonly byTarget: Map<unknown, Definition>
  readonly nameOf: (name: string) => string
  /** Definitions that are not converted yet: a chain of references needs no stack. */
  readonly waiting: (() => void)[]
  /** The properties of a schema that this side does not have. */
  readonly hidden: Map<unknown, readonly string[]>
  /** Of what is being converted. */
  size: number
  total: number
}

export function schemasOf(document: OpenApiDocument, side: Side): Schemas {
  const state: State = {
    document,
    side,
    byTarget: new Map(),
    nameOf: uniqueNames(),
    waiting: [],
    hidden: new Map(),
    size: 0,
    total: 0,
  }
  return {
    convert(node, uses) {
      state.size = 0
      return convert({ state, uses, depth: 0, hidden: none }, node)
    },
    close(given, used) {
      if (used.size === 0) return given
      // Before they are collected: a thousand operations may share ten thousand definitions.
      if (state.total > largestInAll[side])
        throw unusable('the schemas of all tools are too large together: use include')
      for (let next = state.waiting.pop(); next; next = state.waiting.pop()) next()
      const { schema, uses } = unwrapped(given, used)
      const all = new Set(uses)
      // A set goes on with what is added on the way.
      for (const { uses: inner } of all) for (const one of inner) all.add(one)
      let size = 0
      for (const one of all) {
        if (one.problem !== undefined) throw one.problem
        size += one.size
      }
      if (size > largest) throw unusable('its schema is too large')
      state.total += size
      if (all.size === 0) return schema
      return { ...schema, $defs: Object.fromEntries([...all].map((one) => [one.name, one.schema])) }
    },
  }
}

/** A schema that is a reference alone, as what it refers to: what is an object should look like one. */
function unwrapped(schema: JsonSchema, uses: Uses): { readonly schema: JsonSchema; readonly uses: Uses } {
  let at = { schema, uses }
  for (let hops = 0; hops < 8 && Object.keys(at.schema).join() === '$ref'; hops++) {
    const definition = [...at.uses].find(({ name }) => at.schema['$ref'] === `#/$defs/${name}`)
    if (!definition || !isObject(definition.schema) || definition.problem !== undefined) break
    at = { schema: definition.schema, uses: definition.uses }
  }
  return at
}

/** Where a conversion is. */
interface Place {
  readonly state: State
  readonly uses: Uses
  readonly depth: number
  /** Properties that this side does not have, by what stands around. */
  readonly hidden: ReadonlySet<string>
}

const none: ReadonlySet<string> = new Set()

function definitionOf({ state }: Place, reference: string): Definition {
  const target = findReference(state.document, reference)
  const known = state.byTarget.get(target)
  if (known) return known
  const name = state.nameOf(safeKey(reference.slice(reference.lastIndexOf('/') + 1)))
  const made: Definition = { name, uses: new Set(), schema: true, size: 0, problem: undefined }
  // A boolean has no identity: each reference to one is a definition of its own.
  if (isObject(target)) state.byTarget.set(target, made)
  state.waiting.push(() => {
    state.size = 0
    try {
      made.schema = convert({ state, uses: made.uses, depth: 0, hidden: none }, target)
    } catch (thrown) {
      made.problem = thrown
    }
    made.size = state.size
  })
  return made
}

function convert(place: Place, node: unknown): JsonSchema | boolean {
  const { state, depth } = place
  state.size++
  if (typeof node === 'boolean') return node
  if (!isObject(node)) return {}
  // Nodes may be shared, or in a circle, where a document was parsed by somebody else.
  if (state.size > largest) throw unusable('its schema is too large')
  if (depth > deepest) throw unusable(`its schema is nested more than ${deepest} levels`)
  const plain = { ...place, depth: depth + 1, hidden: none }
  const inner = { ...plain, hidden: hiddenIn(place, node) }
  const reference = own(node, '$ref')
  const out: JsonObject = {}
  if (typeof reference === 'string') {
    const definition = definitionOf(place, reference)
    place.uses.add(definition)
    out['$ref'] = `#/$defs/${definition.name}`
  }
  // Version 3.0 has nothing beside a reference; what people write there all the same is what 3.1 means by it.
  for (const key of Object.keys(node)) {
    // Only the parts of an `allOf` are about the same object.
    const value = keyword(key === 'allOf' || key === 'required' || key === 'properties' ? inner : plain, key, node)
    if (value !== undefined) out[asRead(state, key)] = value
  }
  addBounds(out, node)
  if (state.side === 'request') addExamples(out, node)
  // Patterns are shown and not checked, so what they would let through must not be refused.
  if (out['patternProperties'] && out['additionalProperties'] === false) delete out['additionalProperties']
  return own(node, 'nullable') === true ? nullable(out) : out
}

/** An answer that fits two branches is no worse for it. */
const asRead = ({ side }: State, key: string): string => (key === 'oneOf' && side === 'response' ? 'anyOf' : key)

/** Keywords by their shape; what has another shape than it should says nothing. */
function keyword(place: Place, key: string, node: JsonObject): unknown {
  const value = node[key]
  const isSent = place.state.side === 'request'
  switch (keywordShapes.get(key)) {
    case 'schema':
      return isSchema(value) ? convert(place, value) : undefined
    case 'schemas':
      return Array.isArray(value) ? listed(value.filter(isSchema).map((one) => convert(place, one))) : undefined
    case 'items':
      return isSchema(value) ? convert(place, value) : undefined
    case 'map':
      return key === '$defs' || key === 'definitions' ? undefined : members(place, key, value)
    case 'number':
      return typeof value === 'number' ? value : undefined
    case 'text':
      // Addresses are resolved here. A server's formats and patterns are its own business.
      return isSent && (key === 'pattern' || key === 'format') ? text(place, value) : undefined
    case 'names':
      return requiredNames(place, value)
    case 'list':
      return listed(data(place, value))
    case 'type':
      return types(value)
    case 'dependencies':
      return undefined
    default:
      return isSent || key === 'const' || key === 'description' ? annotation(place, key, node) : undefined
  }
}

const isSchema = (value: unknown): boolean => isObject(value) || typeof value === 'boolean'

const listed = (value: unknown): unknown => (Array.isArray(value) && value.length > 0 ? value : undefined)

function text({ state }: Place, value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined
  const short = cut(value, longestText)
  state.size += short.length >> 4
  return short
}

/** A copy as plain JSON. */
function data({ state }: Place, value: unknown): unknown {
  const written = jsonText(value)
  state.size += (written?.length ?? 0) >> 4
  return written && JSON.parse(written)
}

function types(value: unknown): unknown {
  const known = [value].flat().filter((name) => typeNames.includes(name as string))
  return known.length > 1 ? known : known[0]
}

function members(place: Place, key: string, value: unknown): unknown {
  if (!isObject(value)) return undefined
  const kept = Object.entries(value).filter(
    ([name, child]) => name !== '__proto__' && isSchema(child) && !(key === 'properties' && place.hidden.has(name)),
  )
  return Object.fromEntries(kept.map(([name, child]) => [name, convert({ ...place, hidden: none }, child)]))
}

function requiredNames({ hidden }: Place, value: unknown): unknown {
  if (!Array.isArray(value)) return undefined
  const names = value.filter((name) => typeof name === 'string' && name !== '__proto__' && !hidden.has(name))
  return listed([...new Set(names)])
}

function annotation(place: Place, key: string, node: JsonObject): unknown {
  const value = node[key]
  switch (key) {
    case 'description':
    case 'contentEncoding':
    case 'contentMediaType':
      return text(place, value)
    case 'const':
    case 'default':
    case 'dependentRequired':
      return data(place, value)
    case 'uniqueItems':
    case 'deprecated':
      return value === true ? true : undefined
    case 'discriminator':
      return discriminator(place, value, node)
    default:
      return undefined
  }
}

/** With the names of the branches as this schema has them. */
function discriminator(place: Place, value: unknown, node: JsonObject): unknown {
  const propertyName = own(value, 'propertyName')
  if (typeof propertyName !== 'string') return undefined
  const branches = [own(node, 'oneOf'), own(node, 'anyOf')].flat().map((branch) => own(branch, '$ref'))
  const mapping = Object.entries(own(value, 'mapping') ?? {}).flatMap(([name, target]: readonly [string, unknown]) => {
    if (typeof target !== 'string') return []
    const reference = target.includes('/') ? target : `#/components/schemas/${target}`
    return branches.includes(reference) ? [[name, `#/$defs/${definitionOf(place, reference).name}`] as const] : []
  })
  return { propertyName, ...(mapping.length > 0 ? { mapping: Object.fromEntries(mapping) } : {}) }
}

/** In version 3.0 `exclusiveMinimum` is a boolean beside `minimum`. */
function addBounds(out: JsonObject, node: JsonObject): void {
  for (const side of ['Minimum', 'Maximum']) {
    const plain = side.toLowerCase()
    if (own(node, `exclusive${side}`) !== true || out[plain] === undefined) continue
    out[`exclusive${side}`] = out[plain]
    delete out[plain]
  }
}

const mostExamples = 3
const longestExample = 200

/** Those examples that are short enough to help. */
export const shortExamples = (values: readonly unknown[]): readonly unknown[] =>
  values
    .map(jsonText)
    .filter((written) => written !== undefined && written.length <= longestExample)
    .slice(0, mostExamples)
    .map((written) => JSON.parse(written as string) as unknown)

function addExamples(out: JsonObject, node: JsonObject): void {
  const given = own(node, 'examples')
  const examples = shortExamples(Array.isArray(given) ? given : [own(node, 'example')])
  if (examples.length > 0) out['examples'] = examples
}

/** `null` as well, as version 3.0 says it. */
function nullable(out: JsonObject): JsonSchema {
  const { type, enum: choices } = out
  if (type === undefined || '$ref' in out || inPlace.some((key) => key in out))
    return Object.keys(out).length > 0 ? { anyOf: [out, { type: 'null' }] } : out
  out['type'] = [...new Set([type, 'null'].flat())]
  if (Array.isArray(choices) && !choices.includes(null)) out['enum'] = [...(choices as unknown[]), null]
  return out
}

/** What this side does not have among the properties of a node and of the parts that it is put together from. */
function hiddenIn(place: Place, node: JsonObject): ReadonlySet<string> {
  const parts = [node, ...[own(node, 'allOf') ?? []].flat().slice(0, mostParts)]
  const found = parts.flatMap((part) => hiddenOf(place, target(place, part)))
  return found.length > 0 ? new Set([...place.hidden, ...found]) : place.hidden
}

function hiddenOf(place: Place, node: unknown): readonly string[] {
  const properties = own(node, 'properties')
  if (!isObject(properties)) return []
  const known = place.state.hidden.get(properties)
  if (known) return known
  const names = Object.keys(properties).filter((name) => isHidden(place, properties[name]))
  place.state.hidden.set(properties, names)
  return names
}

const flags = { request: 'readOnly', response: 'writeOnly' } as const

function isHidden(place: Place, property: unknown): boolean {
  const flag = flags[place.state.side]
  const parts = [own(property, 'allOf') ?? []].flat().slice(0, mostParts)
  return own(property, flag) === true || [property, ...parts].some((part) => own(target(place, part), flag) === true)
}

/** What a node stands for, where that can be told. */
function target({ state }: Place, node: unknown): unknown {
  try {
    return follow(state.document, node)
  } catch {
    // Whoever converts it says so.
    return undefined
  }
}
