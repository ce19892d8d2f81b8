// `<sameloop-chat>`: the chat as a custom element, with a shadow root of its own.
import { render } from 'preact'
import type { Agent } from '../src/agent/agent.ts'
import { englishLabels } from './labels.ts'
import type { Labels } from './labels.ts'
import { Chat, onKey } from './part/chat.tsx'
import type { Intro } from './part/intro.ts'
import { localSession } from './session/local.ts'
import { remoteSession } from './session/remote.ts'
import type { ChatSession } from './session/session.ts'
import { chatStyle } from './style/chat-style.ts'

/** What `<sameloop-chat>` has beside the members of every element. */
export interface ChatElement extends HTMLElement {
  /** An agent in this page. It may wait for approvals (`approvalWaitMs: Infinity`) or suspend. */
  agent: Agent | undefined
  /** Any conversation; takes the place of `agent` and `src`. */
  session: ChatSession | undefined
  /** Words to use instead of the English ones. */
  labels: Partial<Labels> | undefined
  /** What an empty chat shows. */
  intro: Intro | undefined
  /** A short remark below the field. */
  note: string | undefined
  /** Opens a file beside the chat; without it no card offers that. */
  openFile: ((path: string) => void) | undefined
  /** Handles a key that was pressed elsewhere in the page: A, E and D answer the open question, Esc stops. */
  handleKey(event: KeyboardEvent): void
}

/**
 * Defines `<sameloop-chat>` (or another name), once. Attributes: `src`, the address of a worker; `theme`, `light` or
 * `dark`, without which the element follows the page's `color-scheme`. Styled by `--sl-…` custom properties and by parts.
 */
export function defineChat(name = 'sameloop-chat'): void {
  if (customElements.get(name) === undefined) customElements.define(name, chatClass())
}

type Given = Pick<ChatElement, 'agent' | 'session' | 'labels' | 'intro' | 'note' | 'openFile'>

/** The properties; those that are true here begin another conversation. */
const properties: Readonly<Record<keyof Given, boolean>> = {
  agent: true,
  session: true,
  labels: false,
  intro: false,
  note: false,
  openFile: false,
}

/** One element: what it was given, and what it made of that. */
interface Mount {
  readonly element: HTMLElement
  readonly given: Partial<Given>
  /** The conversation this element made itself, from an agent or an address. */
  own: ChatSession | undefined
  root: ShadowRoot | undefined
}

/** Made when it is wanted: where there are no elements, the module can still be loaded. */
function chatClass(): CustomElementConstructor {
  class ChatHost extends HTMLElement {
    static readonly observedAttributes: readonly string[] = ['src']
    readonly #mount: Mount = { element: this, given: {}, own: undefined, root: undefined }

    static {
      for (const [name, isConversation] of Object.entries(properties)) {
        const key = name as keyof Given
        Object.defineProperty(this.prototype, key, {
          get(this: ChatHost) {
            return key === 'session' ? sessionOf(this.#mount) : this.#mount.given[key]
          },
          set(this: ChatHost, value: never) {
            this.#mount.given[key] = value
            if (isConversation) leave(this.#mount)
            draw(this.#mount)
          },
        })
      }
    }

    connectedCallback(): void {
      this.#mount.root ??= shadowOf(this)
      takeEarly(this)
      draw(this.#mount)
    }

    disconnectedCallback(): void {
      // An element that is only moved is connected again before this runs.
      void Promise.resolve().then(() => {
        if (!this.isConnected) unmount(this.#mount)
      })
    }

    attributeChangedCallback(): void {
      leave(this.#mount)
      draw(this.#mount)
    }

    handleKey(event: KeyboardEvent): void {
      const chat = this.#mount.root?.querySelector('.chat')
      const session = sessionOf(this.#mount)
      if (chat && session !== undefined) onKey(event, session, chat)
    }

    override focus(options?: FocusOptions): void {
      this.#mount.root?.querySelector('textarea')?.focus(options)
    }
  }
  return ChatHost
}

function leave(mount: Mount): void {
  mount.own?.close()
  mount.own = undefined
}

function unmount(mount: Mount): void {
  if (mount.root !== undefined) render(null, mount.root)
  leave(mount)
}

function sessionOf(mount: Mount): ChatSession | undefined {
  const { session, agent } = mount.given
  if (session !== undefined) return session
  const url = mount.element.getAttribute('src')
  if (agent !== undefined) mount.own ??= localSession({ agent })
  else if (url !== null) mount.own ??= remoteSession({ url, onRenew: () => renew(mount) })
  return mount.own
}

function renew(mount: Mount): void {
  leave(mount)
  draw(mount)
}

function draw(mount: Mount): void {
  const { element, root, given } = mount
  if (!element.isConnected || root === undefined) return
  const session = sessionOf(mount)
  const { labels, intro = {}, note, openFile } = given
  const words = { ...englishLabels, ...labels }
  const chat = session && (
    <Chat key={session.id} session={session} labels={words} intro={intro} note={note} openFile={openFile} />
  )
  render(chat ?? null, root)
}

/** What was set before the element was defined hides the properties of its class. */
function takeEarly(element: HTMLElement): void {
  for (const key of Object.keys(properties)) {
    if (!Object.hasOwn(element, key)) continue
    const value: unknown = Reflect.get(element, key)
    Reflect.deleteProperty(element, key)
    Reflect.set(element, key, value)
  }
}

function shadowOf(element: HTMLElement): ShadowRoot {
  const root = element.attachShadow({ mode: 'open' })
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(chatStyle)
  root.adoptedStyleSheets = [sheet]
  return root
}
