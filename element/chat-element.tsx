// `<sameloop-chat>`: the chat as a custom element, with a shadow root of its own.
import { render } from 'preact'
import type { Agent } from '../src/agent/agent.ts'
import { englishLabels } from './labels.ts'
import type { Labels } from './labels.ts'
import { Chat, onKey } from './part/chat.tsx'
import type { Intro } from './part/empty-state.tsx'
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

/** Made when it is wanted: where there are no elements, the module can still be loaded. */
function chatClass(): CustomElementConstructor {
  return class extends HTMLElement implements ChatElement {
    static readonly observedAttributes: readonly string[] = ['src']
    #agent: Agent | undefined
    #given: ChatSession | undefined
    #own: ChatSession | undefined
    #labels: Partial<Labels> | undefined
    #intro: Intro | undefined
    #note: string | undefined
    #openFile: ((path: string) => void) | undefined
    #root: ShadowRoot | undefined

    connectedCallback(): void {
      this.#root ??= shadowOf(this)
      this.#draw()
    }

    disconnectedCallback(): void {
      const root = this.#root
      // An element that is only moved is connected again before this runs.
      void Promise.resolve().then(() => {
        if (this.isConnected || root === undefined) return
        render(null, root)
        this.#leave()
      })
    }

    attributeChangedCallback(): void {
      this.#leave()
      this.#draw()
    }

    get agent(): Agent | undefined {
      return this.#agent
    }
    set agent(agent: Agent | undefined) {
      this.#agent = agent
      this.#leave()
      this.#draw()
    }
    get session(): ChatSession | undefined {
      return this.#given ?? this.#own
    }
    set session(session: ChatSession | undefined) {
      this.#given = session
      this.#leave()
      this.#draw()
    }
    get labels(): Partial<Labels> | undefined {
      return this.#labels
    }
    set labels(labels: Partial<Labels> | undefined) {
      this.#labels = labels
      this.#draw()
    }
    get intro(): Intro | undefined {
      return this.#intro
    }
    set intro(intro: Intro | undefined) {
      this.#intro = intro
      this.#draw()
    }
    get note(): string | undefined {
      return this.#note
    }
    set note(note: string | undefined) {
      this.#note = note
      this.#draw()
    }
    get openFile(): ((path: string) => void) | undefined {
      return this.#openFile
    }
    set openFile(openFile: ((path: string) => void) | undefined) {
      this.#openFile = openFile
      this.#draw()
    }

    handleKey(event: KeyboardEvent): void {
      const chat = this.#root?.querySelector('.chat')
      const { session } = this
      if (chat && session !== undefined) onKey(event, session, chat)
    }

    override focus(options?: FocusOptions): void {
      this.#root?.querySelector('textarea')?.focus(options)
    }

    #leave(): void {
      this.#own?.close()
      this.#own = undefined
    }

    #session(): ChatSession | undefined {
      if (this.#given !== undefined) return this.#given
      const url = this.getAttribute('src')
      if (this.#agent !== undefined) this.#own ??= localSession({ agent: this.#agent })
      else if (url !== null) this.#own ??= remoteSession({ url })
      return this.#own
    }

    #draw(): void {
      if (!this.isConnected || this.#root === undefined) return
      const session = this.#session()
      if (session === undefined) return render(null, this.#root)
      const labels = { ...englishLabels, ...this.#labels }
      const chat = <Chat key={session.id} session={session} labels={labels} intro={this.#intro ?? {}} note={this.#note} openFile={this.#openFile} />
      render(chat, this.#root)
    }
  }
}

function shadowOf(element: HTMLElement): ShadowRoot {
  const root = element.attachShadow({ mode: 'open', delegatesFocus: true })
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(chatStyle)
  root.adoptedStyleSheets = [sheet]
  return root
}
