// What JSON values are made of, and where things are inside them.
import { guarded } from '../error/guard.ts'

/** The same type as `message/` has; this module lies below it. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json | undefined }

export type JsonObject = Record<string, unknown>

/** A JSON type name; for what JSON does not have, `undefined` or the name of the JavaScript type. */
export function typeName(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** An own property, or `undefined`: names come from models and servers, so nothing inherited is ever read. */
export function own(value: unknown, key: string | number): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as JsonObject)[key]
    : undefined
}

/** The JSON Pointer (RFC 6901) of a path; empty for the whole value. */
export function toPointer(path: readonly (string | number)[]): string {
  return path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** A text of at most `limit` characters, never half of a surrogate pair. */
export function cut(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit).replace(/[\ud800-\udbff]$/, '')}…` : text
}

/** The value as JSON, or `undefined` where it is none: nothing, a function, a cycle, a bigint, what throws when read. */
export function jsonText(value: unknown): string | undefined {
  return guarded<string | undefined>(() => JSON.stringify(value), undefined)
}

/** A copy as plain JSON, or `undefined` where the value is none. */
export function plainJson(value: unknown): Json | undefined {
  const text = jsonText(value)
  return text && (JSON.parse(text) as Json)
}

/** A value in a few words for a message; a cycle or a bigint by its type. */
export function excerpt(value: unknown): string {
  return cut(jsonText(value) ?? (value === undefined ? 'nothing' : typeof value), 80)
}

/** A copy of a JSON value that shares nothing but text. */
export function copyJson<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copyJson) as Value
  const copy: Record<string, unknown> = {}
  for (const [key, item] of Object.entries(value)) copy[key] = copyJson(item)
  return copy as Value
}
