// Keys of providers and of the worker: in memory, and in this browser only where the person asked for that. A key of an
// OpenAI-compatible server belongs to the origin of that server, so that no other one is ever sent it.
import { readStored, writeStored } from './storage.ts'

export type KeyName = 'anthropic' | 'worker' | `openai ${string}`

/** The key of the server at this address: another origin, another key. */
export function serverKey(baseUrl: string): KeyName {
  try {
    return `openai ${new URL(baseUrl).origin}`
  } catch {
    return 'openai nowhere'
  }
}

const place = (name: KeyName): string => `sameloop.key.${name}`
const keys = new Map<KeyName, string>()

export function keyOf(name: KeyName): string {
  const known = keys.get(name)
  if (known !== undefined) return known
  const stored = readStored('local', place(name))
  const key = typeof stored === 'string' ? stored : ''
  keys.set(name, key)
  return key
}

export const isRemembered = (name: KeyName): boolean => typeof readStored('local', place(name)) === 'string'

export function setKey(name: KeyName, key: string, { remember }: { readonly remember: boolean }): void {
  keys.set(name, key)
  writeStored('local', place(name), remember && key !== '' ? key : undefined)
}

export function deleteKey(name: KeyName): void {
  setKey(name, '', { remember: false })
}
