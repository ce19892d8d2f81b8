// Where each parameter of a REST tool travels: in the path, the query, a header or the body.
import { SameloopError } from '../error/error.ts'
import { isHeaderName, isHeaderValue } from '../http/header.ts'
import { jsonText, wellFormed } from '../json/text.ts'
import { isObject, own } from '../json/value.ts'
import type { JsonSchema } from '../schema/schema.ts'

/** `body` is a field of a JSON body, `json` the whole body. */
export type ParameterPlace = 'path' | 'query' | 'header' | 'body' | 'json'

/** A place, and the name the server knows the parameter by, where it is another. */
export type ParameterTarget = ParameterPlace | { readonly in: ParameterPlace; readonly name?: string | undefined }

export interface Parameter {
  /** As the model knows it. */
  readonly key: string
  readonly in: ParameterPlace
  /** As the server knows it. */
  readonly name: string
}

export interface RestShape {
  readonly method: string
  /** With `{name}` for each path parameter. */
  readonly path: string
  readonly parameters: readonly Parameter[]
}

const bodied = new Set(['POST', 'PUT', 'PATCH'])

/**
 * The place of every property of the input. What is not said: a name in the path template goes there, the rest to the
 * body of `POST`, `PUT` and `PATCH` and to the query otherwise. Throws `config-invalid` for a template and a schema that
 * do not go together: a call would ask for another path than the one that was written.
 */
export function restShape(
  {
    method,
    path,
    params = {},
  }: { method: string; path: string; params?: Readonly<Record<string, ParameterTarget>> | undefined },
  input: JsonSchema | undefined,
): RestShape {
  const properties = Object.keys(own(input, 'properties') ?? {})
  const inPath = templateNames(path)
  const otherwise = bodied.has(method) ? 'body' : 'query'
  const parameters = properties.map((key): Parameter => {
    const given = own(params, key) as ParameterTarget | undefined
    const { in: place, name = key } = typeof given === 'object' ? given : { in: given }
    return { key, name, in: place ?? (inPath.includes(name) ? 'path' : otherwise) }
  })
  const problem = misplaced({ method, path, parameters }, { inPath, params, input })
  if (problem !== undefined) throw new SameloopError('config-invalid', `Cannot use the REST path "${path}": ${problem}`)
  return { method, path, parameters }
}

interface Given {
  readonly inPath: readonly string[]
  readonly params: Readonly<Record<string, ParameterTarget>>
  readonly input: JsonSchema | undefined
}

function misplaced({ method, path, parameters }: RestShape, { inPath, params, input }: Given): string | undefined {
  const required = own(input, 'required')
  const isRequired = (key: string): boolean => Array.isArray(required) && required.includes(key)
  const placed = parameters.filter((parameter) => parameter.in === 'path')
  const missing = inPath.find((name) => !placed.some((parameter) => parameter.name === name))
  const unasked = placed.find(({ name }) => !inPath.includes(name))
  const optional = placed.find(({ key }) => !isRequired(key))
  const unknown = Object.keys(params).find((key) => !parameters.some((parameter) => parameter.key === key))
  const bodyless = parameters.find(
    (parameter) => !bodied.has(method) && ['body', 'json'].includes(parameter.in) && method !== 'DELETE',
  )
  const unfit = templateProblem(path)
  if (unfit !== undefined) return unfit
  if (input && input['type'] !== 'object') return 'wanted an object as input, whose properties have their places'
  if (missing !== undefined) return `the input has no property for "{${missing}}"`
  if (unasked !== undefined) return `it has no "{${unasked.name}}"`
  if (optional !== undefined) return `the property "${optional.key}" must be required, as it is part of the path`
  if (unknown !== undefined) return `params names "${unknown}", which the input does not have`
  if (bodyless !== undefined) return `${method} has no body for "${bodyless.key}"`
  const unsendable = parameters.find(({ in: place, name }) => place === 'header' && !isHeaderName(name))
  if (unsendable) return `"${unsendable.name}" is not the name of a header`
  const targets = parameters.map(({ in: place, name }) => `${place} ${place === 'header' ? name.toLowerCase() : name}`)
  const twice = parameters.find((_, index) => targets.indexOf(targets[index] as string) < index)
  if (twice) return `two properties go to the same place "${twice.name}"`
  const whole = parameters.filter((parameter) => parameter.in === 'json').length
  const isMixed = whole > 1 || (whole === 1 && parameters.some((parameter) => parameter.in === 'body'))
  return isMixed ? 'a body is made of one whole value or of fields, not of both' : undefined
}

/** Why a path template cannot be used, or `undefined`: it must lead where it seems to lead. */
export function templateProblem(path: string): string | undefined {
  if (!path.startsWith('/')) return 'wanted a path that begins with "/"'
  if (/[?#\\\s]/.test(path)) return 'wanted a path alone, without a query, a backslash or a space'
  return /\/(?:\.|%2e){1,2}(?:\/|$)/i.test(path) ? 'wanted a path without "." and ".."' : undefined
}

/** The names in the braces of a path template. */
export const templateNames = (path: string): readonly string[] =>
  Array.from(path.matchAll(/\{([^{}]+)\}/g), ([, name = '']) => name)

/** What a call sends, before authentication. */
export interface Filled {
  readonly path: string
  /** Encoded, without "?". */
  readonly query: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | undefined
  /** Of the body. Default `application/json`. */
  readonly contentType?: string | undefined
}

/** Puts the values of a call in their places, encoded, or says in words why that cannot be. */
export function fillRequest({ path, parameters }: RestShape, input: unknown): Filled | string {
  const query = new URLSearchParams()
  const headers: Record<string, string> = {}
  const fields: [string, unknown][] = []
  const segments = new Map<string, string>()
  let whole: unknown
  for (const { key, in: place, name } of parameters) {
    const value = own(input, key)
    if (place === 'path' && (value === undefined || value === null))
      return `Property "${key}": wanted a value, as it is part of the path`
    if (value === undefined || (value === null && place !== 'body' && place !== 'json')) continue
    if (place === 'body') fields.push([name, value])
    else if (place === 'json') whole = value
    else if (place === 'query')
      for (const item of Array.isArray(value) ? value : [value]) query.append(name, plainText(item))
    else {
      const text = Array.isArray(value) ? value.map(plainText).join(',') : plainText(value)
      const problem = place === 'path' ? pathProblem(text) : headerProblem(text)
      if (problem !== undefined) return `Property "${key}": ${problem}`
      if (place === 'path') segments.set(name, encodeURIComponent(text))
      else headers[name] = text
    }
  }
  // An API that takes fields wants an object, also where none is filled in.
  const body = parameters.some((parameter) => parameter.in === 'body') ? Object.fromEntries(fields) : whole
  return {
    path: path.replace(/\{([^{}]+)\}/g, (_, name: string) => segments.get(name) ?? ''),
    query: query.toString(),
    headers,
    body: body === undefined ? undefined : JSON.stringify(body),
  }
}

const plainText = (value: unknown): string =>
  isObject(value) || Array.isArray(value) ? (jsonText(value) ?? '') : String(value)

/** An encoded dot segment climbs all the same: the URL standard reads `%2e%2e` as "..". */
function pathProblem(text: string): string | undefined {
  if (text === '') return 'wanted a text that is not empty, as it is part of the path'
  if (wellFormed(text) !== text) return 'wanted whole characters, as it is part of the path'
  return text === '.' || text === '..' ? `"${text}" cannot be part of the path` : undefined
}

const headerProblem = (text: string): string | undefined =>
  isHeaderValue(text) ? undefined : 'wanted printable ASCII, as it travels in a header'
