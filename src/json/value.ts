// JSON values: what they are made of, and reading them without trusting them.

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

/** A list, or an object made by braces or by JSON: what has another prototype may have reasons of its own for its fields. */
export function isPlain(value: unknown): value is JsonObject {
  if (typeof value !== 'object' || value === null) return false
  return Array.isArray(value) || !Object.getPrototypeOf(Object.getPrototypeOf(value) ?? Object.prototype)
}

/** An own property, or `undefined`: names come from models and servers, so nothing inherited is ever read. */
export function own(value: unknown, key: string | number): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as JsonObject)[key]
    : undefined
}

/** A copy of a JSON value that shares nothing but text. */
export function copyJson<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copyJson) as Value
  // Not by assignment: an own `__proto__` stays data.
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copyJson(item as unknown)])) as Value
}
