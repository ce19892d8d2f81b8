// Conversations that outlive a reload: kept in this browser, a few of them, each used by one tab at a time.
import type { SavedChat } from '../../element/index.ts'
import { keptRecords } from '../../element/session/record-log.ts'
import { fields, isMessageList, isRecord, isText } from '../../element/session/record-shape.ts'
import { isObject } from '../../src/json/value.ts'
import { snapshot } from '../../src/overlay/snapshot.ts'
import type { Vfs } from '../../src/index.ts'
import { readStored, storedKeys, writeStored } from './storage.ts'

export interface KeptChat {
  readonly version: 1
  readonly id: string
  readonly place: 'here' | 'worker'
  readonly title: string
  /** Milliseconds since the epoch. */
  readonly at: number
  /** A conversation of this page, with its files: text, or base64 after `data:`. */
  readonly chat?: SavedChat | undefined
  readonly files?: Readonly<Record<string, string>> | undefined
  /** The session of the worker. */
  readonly session?: string | undefined
}

const prefix = 'sameloop.session.'
const mostKept = 5
const mostRecordChars = 800_000
const mostFileBytes = 1_000_000

/** Whether it could be kept; older ones make room. */
export function keepChat(chat: KeptChat): boolean {
  const slim =
    chat.chat === undefined
      ? chat
      : { ...chat, chat: { ...chat.chat, records: keptRecords(chat.chat.records, mostRecordChars) } }
  for (const old of allKept().slice(mostKept - 1)) if (old.id !== chat.id) forgetChat(old.id)
  if (writeStored('local', prefix + chat.id, slim)) return true
  for (const old of allKept()) if (old.id !== chat.id) forgetChat(old.id)
  return writeStored('local', prefix + chat.id, slim)
}

export function forgetChat(id: string): void {
  writeStored('local', prefix + id, undefined)
}

/** What was kept under this id; `undefined` where there is nothing, or what is there can not be used. */
export function keptChat(id: string): KeptChat | undefined {
  const value = readStored('local', prefix + id)
  if (!isKept(value) || value.id !== id) return undefined
  const { chat } = value
  // A single record that cannot be drawn takes nothing else with it.
  return chat === undefined ? value : { ...value, chat: { ...chat, records: chat.records.filter(isRecord) } }
}

/** Whether there is anything under this id, of use or not. */
export const isAnythingKept = (id: string): boolean => readStored('local', prefix + id) !== undefined

const isVersionOne = (value: unknown): boolean => value === 1

const isPlace = (value: unknown): boolean => value === 'here' || value === 'worker'

/** Storage holds what an older page, another program or a person left there. */
const isKept = fields({
  version: isVersionOne,
  id: isText,
  place: isPlace,
  title: isText,
  at: Number.isFinite,
  session: (value) => value === undefined || (isText(value) && value !== ''),
  files: (value) => value === undefined || (isObject(value) && Object.values(value).every(isText)),
  chat: (value) => value === undefined || isSaved(value),
}) as (value: unknown) => value is KeptChat

const isSaved = fields({
  version: isVersionOne,
  id: isText,
  records: Array.isArray,
  messages: isMessageList,
  snapshot: (value) => value === undefined || isObject(value),
  running: (value) => typeof value === 'boolean',
})

/** The newest first. */
export function allKept(): readonly KeptChat[] {
  const kept = storedKeys('local', prefix).map((key) => keptChat(key.slice(prefix.length)))
  return kept.filter((chat) => chat !== undefined).sort((a, b) => b.at - a.at)
}

/** All files as text, or `undefined` where they are too many bytes to keep. */
export async function keptFiles(fs: Vfs): Promise<Readonly<Record<string, string>> | undefined> {
  const { files } = await snapshot(fs)
  if (files.reduce((sum, { data }) => sum + data.length, 0) > mostFileBytes) return undefined
  return Object.fromEntries(files.map(({ path, data }) => [`/${path}`, packed(data)]))
}

export function unpackedFiles(files: Readonly<Record<string, string>>): Record<string, string | Uint8Array> {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [path, unpacked(text)]))
}

const mark = 'data:base64,'

function packed(data: Uint8Array): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(data)
    if (!text.startsWith(mark)) return text
  } catch {
    // Not UTF-8: kept as bytes.
  }
  return mark + btoa(Array.from(data, (byte) => String.fromCharCode(byte)).join(''))
}

function unpacked(text: string): string | Uint8Array {
  if (!text.startsWith(mark)) return text
  return Uint8Array.from(atob(text.slice(mark.length)), (char) => char.charCodeAt(0))
}

/** Takes a conversation for this tab until it is closed; false where another tab has it. */
export function claimChat(id: string): Promise<boolean> {
  if (!('locks' in navigator)) return Promise.resolve(true)
  return new Promise((resolve) => {
    const patience = new AbortController()
    // A reload lets go of the lock a moment after the new page asks for it.
    const timer = setTimeout(() => patience.abort(), 400)
    const held = navigator.locks.request(prefix + id, { signal: patience.signal }, () => {
      clearTimeout(timer)
      resolve(true)
      return new Promise<never>(() => undefined)
    })
    held.catch(() => resolve(false))
  })
}

/** The conversations that tabs of this browser have at the moment. */
export async function claimedChats(): Promise<ReadonlySet<string>> {
  if (!('locks' in navigator)) return new Set()
  const { held = [] } = await navigator.locks.query()
  return new Set(held.map(({ name = '' }) => name.slice(prefix.length)))
}
