// Keys of providers and of the worker: in memory, and in this browser only where the person asked for that.
import { readStored, writeStored } from './storage.ts'

export type KeyName = 'openai' | 'anthropic' | 'worker'

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
