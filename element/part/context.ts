// What every part of the chat needs: the conversation, the words, and where files open.
import { createContext } from 'preact'
import type { Context } from 'preact'
import { useContext } from 'preact/hooks'
import { englishLabels } from '../labels.ts'
import type { Labels } from '../labels.ts'
import type { ChatSession } from '../session/session.ts'

export interface ChatFacts {
  readonly session: ChatSession
  readonly labels: Labels
  /** Opens a file beside the chat, where the page around it can. */
  readonly openFile?: ((path: string) => void) | undefined
}

const facts: Context<ChatFacts> = createContext<ChatFacts>({ session: undefined as never, labels: englishLabels })

export const ChatFactsProvider: typeof facts.Provider = facts.Provider
export const useChatFacts = (): ChatFacts => useContext(facts)
