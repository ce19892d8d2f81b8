// The browser's storage, which may be full, blocked or hold anything: it never throws, and gives plain values.
import { parseJson } from '../../src/json/text.ts'

export type Area = 'local' | 'tab'

const areaOf = (area: Area): Storage => (area === 'local' ? localStorage : sessionStorage)

/** The JSON value under a key, or `undefined`. */
export function readStored(area: Area, key: string): unknown {
  try {
    const text = areaOf(area).getItem(key)
    const parsed = text === null ? undefined : parseJson(text)
    return parsed?.ok === true ? parsed.value : undefined
  } catch {
    return undefined
  }
}

/** Whether the value was stored; `undefined` removes the key. */
export function writeStored(area: Area, key: string, value: unknown): boolean {
  try {
    if (value === undefined) areaOf(area).removeItem(key)
    else areaOf(area).setItem(key, JSON.stringify(value))
    return true
  } catch {
    return false
  }
}

export function storedKeys(area: Area, prefix: string): readonly string[] {
  try {
    return Object.keys(areaOf(area)).filter((key) => key.startsWith(prefix))
  } catch {
    return []
  }
}

/** The text under `key` of a stored object, or `fallback`. */
export function textOf(value: unknown, key: string, fallback: string): string {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return fallback
  const found: unknown = Reflect.get(value, key)
  return typeof found === 'string' ? found : fallback
}
