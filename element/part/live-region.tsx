// Tells a screen reader what is new, in whole sentences.
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { VNode } from 'preact'
import { announcements } from '../view/announcement.ts'
import type { Told } from '../view/announcement.ts'
import type { Transcript } from '../view/entries.ts'
import { useChatFacts } from './context.ts'

const mostLines = 12

export function LiveRegion({
  transcript,
  version,
}: {
  readonly transcript: Transcript
  readonly version: number
}): VNode {
  const { labels } = useChatFacts()
  const region = useRef<HTMLDivElement>(null)
  const told = useRef<{ readonly of: Transcript; readonly entries: Told }>(undefined)
  useLayoutEffect(() => {
    const isFirst = told.current?.of !== transcript
    if (isFirst) told.current = { of: transcript, entries: new Map() }
    const lines = announcements(transcript.entries, (told.current as { entries: Told }).entries, labels)
    // What a restored conversation said before is not told again.
    const isOld = isFirst || transcript.isOld
    transcript.isOld = false
    if (isOld || region.current === null) return
    for (const line of lines) {
      const element = document.createElement('p')
      element.textContent = line
      region.current.append(element)
    }
    while (region.current.childElementCount > mostLines) region.current.firstElementChild?.remove()
  }, [transcript, version, labels])
  return <div class="unseen" role="log" aria-live="polite" aria-relevant="additions" ref={region} />
}
