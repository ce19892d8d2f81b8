// Keeps the newest message in view while a person is at the end, and the focus where the next key is wanted.
import { useSignal } from '@preact/signals'
import type { Signal } from '@preact/signals'
import { useCallback, useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { RefObject } from 'preact'

export interface Following {
  readonly scroller: RefObject<HTMLDivElement | null>
  readonly isAtEnd: Signal<boolean>
  readonly onScroll: () => void
}

/** So near to the end counts as the end. */
const nearPx = 48

/** Follows the end of what scrolls, drawing by drawing, unless somebody scrolled away from it. */
export function useFollowing(version: number): Following {
  const scroller = useRef<HTMLDivElement>(null)
  const isAtEnd = useSignal(true)
  useLayoutEffect(() => {
    if (isAtEnd.peek()) toEnd(scroller.current)
  }, [version, isAtEnd])
  const onScroll = useCallback(() => {
    const { current } = scroller
    if (current === null) return
    isAtEnd.value = current.scrollHeight - current.scrollTop - current.clientHeight < nearPx
  }, [isAtEnd])
  useEffect(() => {
    // A card that opens makes the content longer without scrolling; the event does not bubble.
    const { current } = scroller
    current?.addEventListener('toggle', onScroll, true)
    return () => current?.removeEventListener('toggle', onScroll, true)
  }, [onScroll])
  return { scroller, isAtEnd, onScroll }
}

export function toEnd(scroller: HTMLElement | null): void {
  if (scroller !== null) scroller.scrollTop = scroller.scrollHeight
}

/** Somebody whose last key is not older than this is typing. */
const typingMs = 1000

/** Moves the focus to a question that appears, and back to the composer once it is answered. */
export function useQuestionFocus(scroller: RefObject<HTMLElement | null>, question: string | undefined): void {
  const asked = useRef(question)
  const typedAt = useTyping(scroller)
  // Before the next key can come: it would be typed into the composer.
  useLayoutEffect(() => {
    if (question === undefined) {
      if (asked.current !== undefined) focusComposer(scroller.current)
    } else if (performance.now() - typedAt.current > typingMs) focusQuestion(scroller.current)
    asked.current = question
  }, [question, scroller, typedAt])
}

/** When a key last went into the composer; sending ends the typing. */
function useTyping(scroller: RefObject<HTMLElement | null>): RefObject<number> {
  const typedAt = useRef(-Infinity)
  useEffect(() => {
    const chat = scroller.current?.parentElement
    const note = (event: KeyboardEvent): void => {
      if (!(event.target instanceof Element) || event.target.closest('.composer') === null) return
      typedAt.current = event.key === 'Enter' && !event.shiftKey ? -Infinity : performance.now()
    }
    chat?.addEventListener('keydown', note)
    return () => chat?.removeEventListener('keydown', note)
  }, [scroller])
  return typedAt
}

/** A question takes the focus from an empty composer, so that its keys work soon; never from somebody who is busy. */
function focusQuestion(scroller: HTMLElement | null): void {
  const question = scroller?.querySelector<HTMLElement>('[data-question]')
  const root = scroller?.getRootNode()
  if (question === null || question === undefined || !(root instanceof ShadowRoot)) return
  const active = root.activeElement
  const { activeElement } = document
  // Somebody is busy elsewhere in the page.
  if (active === null && activeElement !== document.body && activeElement !== root.host) return
  const isTyping =
    active instanceof HTMLTextAreaElement && (active.value !== '' || active.closest('.composer') === null)
  if (!isTyping && (active === null || active.closest('[data-question]') === null)) {
    question.focus({ preventScroll: true })
  }
}

/** Where the answered question had the focus, the composer gets it; not under a finger: that would bring a keyboard up. */
function focusComposer(scroller: HTMLElement | null): void {
  const root = scroller?.getRootNode()
  if (!(root instanceof ShadowRoot) || root.activeElement !== null || matchMedia('(pointer: coarse)').matches) return
  if (document.activeElement === document.body) root.querySelector('textarea')?.focus({ preventScroll: true })
}
