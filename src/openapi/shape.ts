// What an operation takes and gives: one object for a model to fill in, and where each of its properties travels.
import { mediaTypeOf, isJsonType, isTextType } from '../http/body.ts'
import { isHeaderName } from '../http/header.ts'
import { excerpt } from '../json/text.ts'
import { isObject, own } from '../json/value.ts'
import type { JsonObject } from '../json/value.ts'
import { templateNames } from '../rest/parameter.ts'
import type { Filled } from '../rest/parameter.ts'
import type { JsonSchema } from '../schema/schema.ts'
import type { ToolContext } from '../tool/context.ts'
import { uniqueNames } from '../tool/tool-names.ts'
import { bestMedia, fileSchema, isBinary, writeBody } from './body.ts'
import type { BodyShape, MediaType } from './body.ts'
import { follow, listIn, namedEntries, textIn, unusable } from './document.ts'
import type { OpenApiDocument } from './document.ts'
import type { FoundOperation } from './operation.ts'
import { safeKey, shortExamples } from './schema.ts'
import type { Schemas, Uses } from './schema.ts'
import { cookiePairs, headerText, pathText, queryPairs, styleProblem } from './style.ts'
import type { ParameterIn, Styled } from './style.ts'

interface Slot extends Styled {
  /** As the model knows it. */
  readonly key: string
  readonly in: ParameterIn
  /** Written as JSON first. */
  readonly isJson: boolean
}

interface BodySlot extends BodyShape {
  /** The property that is the whole body, or those that are its fields, by the names the server knows. */
  readonly whole: string | undefined
  readonly fields: ReadonlyMap<string, string>
  readonly isRequired: boolean
}

export interface OperationShape {
  readonly path: string
  readonly slots: readonly Slot[]
  readonly body: BodySlot | undefined
  /** The header that takes the idempotency key of the call. */
  readonly idempotencyHeader: string | undefined
  /** None where the operation takes nothing. */
  readonly input: JsonSchema | undefined
}

/** What is not asked of a model, as it is known: headers that are given, and where credentials travel. */
export type IsGiven = (place: string, name: string) => boolean

const places: readonly string[] = ['path', 'query', 'header', 'cookie']
/** What the sending itself says, or nobody may. */
const ownHeaders = /^(?:accept|content-type|content-length|authorization|cookie|host|connection|transfer-encoding)$/i

interface Draft {
  readonly document: OpenApiDocument
  readonly schemas: Schemas
  readonly uses: Uses
  /** The properties of the input so far. */
  readonly properties: [string, unknown][]
  readonly required: string[]
  /** A name that no property has yet, clean: with its place before it where the plain name is taken. */
  keyFor(name: string, place: string): string
}

/** Throws where the operation cannot be called as the document describes it. */
export function shapeOf(
  document: OpenApiDocument,
  { about, node, item }: FoundOperation,
  { schemas, isGiven }: { readonly schemas: Schemas; readonly isGiven: IsGiven },
): OperationShape {
  const draft = startDraft(document, schemas)
  const { path, method } = about
  const declared = parametersOf(document, [...listIn(item, 'parameters'), ...listIn(node, 'parameters')])
  const parameters = [...declared, ...undeclared(path, declared)].filter((one) => isWanted(one, path, isGiven))
  const isKey = (one: JsonObject): boolean => one['in'] === 'header' && /^idempotency-key$/i.test(String(one['name']))
  const ordered = places.flatMap((place) => parameters.filter((one) => one['in'] === place && !isKey(one)))
  const slots = ordered.map((one) => addParameter(draft, one))
  const body = addBody(draft, follow(document, own(node, 'requestBody')), method)
  const { properties, required, uses } = draft
  const json: JsonSchema = {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  }
  return {
    path,
    slots,
    body,
    idempotencyHeader: textIn(parameters.find(isKey), 'name'),
    input: properties.length > 0 ? schemas.close(json, uses) : undefined,
  }
}

function startDraft(document: OpenApiDocument, schemas: Schemas): Draft {
  const properties: [string, unknown][] = []
  const unique = uniqueNames()
  return {
    document,
    schemas,
    uses: new Set(),
    properties,
    required: [],
    keyFor(name, place) {
      const key = safeKey(name)
      const isTaken = properties.some(([taken]) => taken === key)
      return unique(isTaken ? safeKey(`${place}_${name}`) : key)
    },
  }
}

/** Those of the operation take the place of those of its path. */
function parametersOf(document: OpenApiDocument, nodes: readonly unknown[]): readonly JsonObject[] {
  const found = new Map<string, JsonObject>()
  for (const given of nodes) {
    const node = follow(document, given)
    if (!node || textIn(node, 'name') === undefined) throw unusable('it has a parameter without a name')
    const { in: place, name } = node
    if (!places.includes(place as string)) throw unusable(`its parameter ${excerpt(name)} is in no known place`)
    found.set(`${place as string} ${name as string}`, node)
  }
  return [...found.values()]
}

/** What the path names and nobody describes is a text. */
function undeclared(path: string, declared: readonly JsonObject[]): readonly JsonObject[] {
  const names = new Set(templateNames(path))
  for (const one of declared) if (one['in'] === 'path') names.delete(one['name'] as string)
  return [...names].map((name) => ({ in: 'path', name, schema: { type: 'string' } }))
}

function isWanted({ in: place, name }: JsonObject, path: string, isGiven: IsGiven): boolean {
  if (place === 'path') return templateNames(path).includes(name as string)
  return !(place === 'header' && ownHeaders.test(name as string)) && !isGiven(place as string, name as string)
}

function addParameter(draft: Draft, node: JsonObject): Slot {
  const place = node['in'] as ParameterIn
  const name = node['name'] as string
  const key = draft.keyFor(name, place)
  const media = bestMedia(own(node, 'content'))
  const style = textIn(node, 'style') ?? (place === 'query' || place === 'cookie' ? 'form' : 'simple')
  if (place === 'header' && !isHeaderName(name)) throw unusable(`"${name}" is not the name of a header`)
  const schema = draft.schemas.convert(own(media?.node ?? node, 'schema') ?? true, draft.uses)
  const given = own(node, 'examples')
  const examples = isObject(given)
    ? Object.values(given).map((one) => own(follow(draft.document, one), 'value'))
    : [own(node, 'example')]
  addProperty(draft, key, described(schema, textIn(node, 'description'), examples))
  if (place === 'path' || own(node, 'required') === true) draft.required.push(key)
  return {
    key,
    in: place,
    name,
    style,
    explode: (own(node, 'explode') ?? style === 'form') === true,
    allowReserved: own(node, 'allowReserved') === true,
    isJson: media?.kind === 'json',
  }
}

/** Some providers take nothing but an object where the schema of a property stands. */
function addProperty({ properties }: Draft, key: string, schema: JsonSchema | boolean): void {
  properties.push([key, asObject(schema)])
}

function asObject(schema: JsonSchema | boolean): JsonSchema {
  if (typeof schema !== 'boolean') return schema
  return schema ? {} : { not: {} }
}

const longestText = 1000

function described(
  schema: JsonSchema | boolean,
  description: string | undefined,
  examples: readonly unknown[],
): JsonSchema | boolean {
  const short = shortExamples(examples)
  if (typeof schema === 'boolean' && description === undefined && short.length === 0) return schema
  return {
    ...asObject(schema),
    ...(description === undefined ? {} : { description: description.slice(0, longestText) }),
    ...(short.length > 0 ? { examples: short } : {}),
  }
}

function addBody(draft: Draft, node: JsonObject | undefined, method: string): BodySlot | undefined {
  const media = bestMedia(own(node, 'content'))
  if (!node || !media) return undefined
  const isRequired = own(node, 'required') === true
  if (method === 'GET' || method === 'HEAD') {
    if (isRequired) throw unusable(`it wants a body, which ${method} does not have`)
    return undefined
  }
  const schema = own(media.node, 'schema')
  const shape = { ...media, files: filesOf(draft.document, media), isRequired }
  const asFields = media.kind === 'json' || media.kind === 'form' || media.kind === 'multipart'
  const plain = asFields ? plainObject(draft.document, schema) : undefined
  const fields = plain && addFields(draft, plain, shape)
  if (fields) return { ...shape, whole: undefined, fields }
  const key = draft.keyFor('body', 'body')
  const description = textIn(node, 'description')
  if (media.kind === 'binary') addProperty(draft, key, fileSchema(description))
  else addProperty(draft, key, described(draft.schemas.convert(schema ?? textual(media), draft.uses), description, []))
  if (isRequired) draft.required.push(key)
  return { ...shape, whole: key, fields: new Map() }
}

const textual = ({ kind }: MediaType): unknown => (kind === 'text' ? { type: 'string' } : true)

/** What may stand beside the properties of an object whose properties alone say it all. */
const sayNothing =
  /^(?:type|properties|required|title|description|examples?|default|xml|externalDocs|deprecated|\$schema|\$comment|x-.*)$/

/** The schema of a body whose properties can stand beside the parameters, or `undefined`. */
function plainObject(document: OpenApiDocument, schema: unknown): JsonObject | undefined {
  const node = follow(document, schema)
  const properties = own(node, 'properties')
  if (!node || !isObject(properties) || Object.keys(properties).length === 0) return undefined
  if ((own(node, 'type') ?? 'object') !== 'object') return undefined
  const isPlain = (key: string): boolean =>
    sayNothing.test(key) || (key === 'additionalProperties' && node[key] === false) || node[key] === undefined
  return Object.keys(node).every(isPlain) ? node : undefined
}

/** The properties of the body as properties of the input; `undefined` where to leave the body out says something else. */
function addFields(
  draft: Draft,
  plain: JsonObject,
  { kind, files, isRequired }: BodyShape & { readonly isRequired: boolean },
): ReadonlyMap<string, string> | undefined {
  const { properties = {}, required = [] } = draft.schemas.convert(plain, draft.uses) as {
    readonly properties?: JsonObject
    readonly required?: readonly string[]
  }
  if (kind === 'json' && !isRequired && required.length > 0) return undefined
  const fields = new Map<string, string>()
  for (const [name, schema] of Object.entries(properties)) {
    const key = draft.keyFor(name, 'body')
    fields.set(key, name)
    addProperty(draft, key, files.includes(name) ? fileOf(schema) : (schema as JsonSchema | boolean))
    if (required.includes(name)) draft.required.push(key)
  }
  return fields
}

function fileOf(schema: unknown): JsonSchema {
  const description = textIn(schema, 'description')
  if (own(schema, 'type') !== 'array') return fileSchema(description)
  return { type: 'array', items: fileSchema(undefined), ...(description === undefined ? {} : { description }) }
}

function filesOf(document: OpenApiDocument, { kind, node }: MediaType): readonly string[] {
  if (kind !== 'multipart') return []
  const properties = own(plainObject(document, own(node, 'schema')), 'properties')
  return Object.entries((properties as object | undefined) ?? {}).flatMap(([name, schema]) => {
    const found = follow(document, schema)
    const item = own(found, 'type') === 'array' ? follow(document, own(found, 'items')) : found
    return isBinary(item, own(own(node, 'encoding'), name)) ? [name] : []
  })
}

/** The address of a call and its headers, without its body; in words, where a value cannot travel. */
export function fillAddress({ path, slots }: OperationShape, input: unknown): Omit<Filled, 'body'> | string {
  const query: string[] = []
  const cookies: string[] = []
  const headers: Record<string, string> = {}
  const segments = new Map<string, string>()
  for (const slot of slots) {
    const given = own(input, slot.key)
    if (given === undefined || (given === null && !slot.isJson)) continue
    const value = slot.isJson ? JSON.stringify(given) : given
    const problem = styleProblem(slot.in, slot, value)
    if (problem !== undefined) return `Property "${slot.key}": ${problem}`
    if (slot.in === 'path') segments.set(slot.name, pathText(slot, value))
    else if (slot.in === 'query') query.push(...queryPairs(slot, value))
    else if (slot.in === 'cookie') cookies.push(...cookiePairs(slot, value))
    else headers[slot.name] = headerText(slot, value)
  }
  const missing = slots.find(({ in: place, name }) => place === 'path' && !segments.get(name))
  if (missing) return `Property "${missing.key}": wanted a value, as it is part of the path`
  const filled = path.replace(/\{([^{}]+)\}/g, (_, name: string) => segments.get(name) ?? '')
  // The URL standard reads also `%2e%2e` as "..".
  if (/\/(?:\.|%2e){1,2}(?:\/|$)/i.test(filled)) return 'The values of the path lead out of it: wanted no "." or ".."'
  if (cookies.length > 0) headers['cookie'] = cookies.join('; ')
  return { path: filled, query: query.join('&'), headers }
}

/** The whole of a call; in words, where it cannot be made. */
export async function fillOperation(
  shape: OperationShape,
  input: unknown,
  context: ToolContext,
): Promise<Filled | string> {
  const address = fillAddress(shape, input)
  const { body } = shape
  if (typeof address === 'string' || !body)
    return typeof address === 'string' ? address : { ...address, body: undefined }
  const value = bodyValue(body, input)
  if (value === undefined) return { ...address, body: undefined }
  const written = await writeBody(body, value, context)
  return typeof written === 'string' ? written : { ...address, ...written }
}

/** A body that is wanted is there, also where none of its fields is filled in. */
function bodyValue({ whole, fields, isRequired }: BodySlot, input: unknown): unknown {
  if (whole !== undefined) return own(input, whole)
  const entries = [...fields].flatMap(([key, name]) => {
    const value = own(input, key)
    return value === undefined ? [] : [[name, value] as const]
  })
  return entries.length > 0 || isRequired ? Object.fromEntries(entries) : undefined
}

/** What an operation gives when it goes well. */
export interface Answers {
  /** None where anything may come. */
  readonly schema: JsonSchema | undefined
  readonly mayBeEmpty: boolean
  readonly mayBeText: boolean
}

/** The answers of the statuses from 200 to 299, else the default one; throws where their schemas cannot be used. */
export function answersOf(document: OpenApiDocument, node: unknown, schemas: Schemas): Answers {
  const all = namedEntries(own(node, 'responses'))
  const good = all.filter(([status]) => status.startsWith('2'))
  const responses = (good.length > 0 ? good : all.filter(([status]) => status === 'default')).map(([, response]) =>
    follow(document, response),
  )
  const uses: Uses = new Set()
  const media = responses.flatMap((response) => namedEntries(own(response, 'content')))
  const named = media.map(([type, node]) => [mediaTypeOf(type), node] as const)
  const forms = named
    .filter(([type]) => isJsonType(type) || type.includes('*'))
    .map(([, node]) => schemas.convert(own(node, 'schema') ?? true, uses))
  const about = {
    mayBeEmpty: responses.some((response) => namedEntries(own(response, 'content')).length === 0),
    mayBeText: named.some(([type]) => isTextType(type) && !isJsonType(type)),
  }
  const different = [...new Map(forms.map((form) => [JSON.stringify(form), form])).values()]
  const isOpen = different.length === 0 || different.some((form) => form === true || Object.keys(form).length === 0)
  if (isOpen) return { ...about, schema: undefined }
  const only = different.length === 1 ? different[0] : { anyOf: different }
  return { ...about, schema: schemas.close(only as JsonSchema, uses) }
}
