// What the page shows: the conversations of this tab, the current one, and the open panel.
import { computed, signal } from '@preact/signals'
import { allKept, claimChat, claimedChats, forgetChat, isAnythingKept, keptChat } from './kept.ts'
import type { KeptChat } from './kept.ts'
import { localChat, workerChat } from './chats.ts'
import type { OpenChat, Place } from './chats.ts'
import { readStored, writeStored } from './storage.ts'
import { lookForWorker, worker } from './worker.ts'

export type Panel = 'chat' | 'files' | 'run' | 'sessions'
export type Sheet = 'model' | 'shortcuts'

export const chats = signal<readonly OpenChat[]>([])
const currentId = signal('')
export const current = computed(() => chats.value.find(({ id }) => id === currentId.value))

/** Of a narrow window; a wide one shows the chat beside `inspector`. */
export const panel = signal<Panel>('chat')
export const inspector = signal<'files' | 'run'>('files')
export const sheet = signal<Sheet | undefined>(undefined)
/** The file that is shown. */
export const openPath = signal<string | undefined>(undefined)
/** A conversation of an earlier visit that could be gone on with. */
export const offer = signal<KeptChat | undefined>(undefined)

/** Why an earlier conversation is not shown. */
export const remark = signal('')

const taken = 'That conversation is open in another tab.'
const unreadable = 'The earlier conversation could not be read. This is a new one.'

const tabKey = 'sameloop.tab'

export function show(chat: OpenChat): void {
  if (!chats.peek().includes(chat)) chats.value = [chat, ...chats.peek()]
  currentId.value = chat.id
  openPath.value = undefined
  panel.value = 'chat'
  writeStored('tab', tabKey, chat.id)
}

/** A new conversation at a place. One that was not used is taken again. */
export function newChat(place: Place): void {
  const unused = chats.peek().find((chat) => chat.place === place && chat.session.records.length === 0)
  const chat = unused ?? (place === 'here' ? localChat() : workerChat(undefined, renew))
  if (unused === undefined) void claimChat(chat.id)
  show(chat)
}

/** The newest conversation at a place, or a new one. */
export function goTo(place: Place): void {
  const [newest] = chats.peek().filter((chat) => chat.place === place)
  if (newest === undefined) newChat(place)
  else show(newest)
}

/** In the place of a conversation that the worker does not know any more. */
function renew(id: string): void {
  forgetChat(id)
  newChat('worker')
}

function reopen(kept: KeptChat): void {
  try {
    show(kept.place === 'here' ? localChat(kept) : workerChat(kept, renew))
  } catch {
    // What cannot be read now cannot be read after the next reload either.
    forgetChat(kept.id)
    remark.value = unreadable
    newChat('here')
  }
}

/** On load: goes on with what this tab had; else offers what an earlier visit left. */
export async function begin(): Promise<void> {
  const mine = readStored('tab', tabKey)
  const kept = typeof mine === 'string' ? keptChat(mine) : undefined
  if (kept === undefined && typeof mine === 'string' && isAnythingKept(mine)) remark.value = unreadable
  const isThere = kept !== undefined && (kept.place === 'here' || (await isWorkerThere()))
  if (isThere && (await claimChat(kept.id))) {
    reopen(kept)
    return
  }
  newChat('here')
  const elsewhere = await claimedChats()
  const newest = allKept().find(({ id }) => !elsewhere.has(id))
  if (newest !== undefined && (newest.place === 'here' || (await isWorkerThere()))) offer.value = newest
}

async function isWorkerThere(): Promise<boolean> {
  if (worker.peek().state === 'looking') await lookForWorker()
  return worker.peek().state === 'ready'
}

/** Goes on with the conversation that was offered, where no other tab has it. */
export async function takeOffer(): Promise<void> {
  const kept = offer.peek()
  offer.value = undefined
  if (kept === undefined) return
  if (await claimChat(kept.id)) reopen(kept)
  else remark.value = taken
}

export function dropOffer(): void {
  const kept = offer.peek()
  if (kept !== undefined) forgetChat(kept.id)
  offer.value = undefined
}

/** Shows a file, whichever panel is in front. */
export function showFile(path: string): void {
  openPath.value = path.startsWith('/') ? path : `/${path}`
  inspector.value = 'files'
  panel.value = 'files'
}
