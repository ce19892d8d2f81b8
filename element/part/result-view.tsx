// What a tool answered: text, JSON, files, and for people the change it made.
import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { ContentPart, PublicOutcome } from '../../src/message/part.ts'
import { useChatFacts } from './context.ts'
import { DiffView } from './diff-view.tsx'
import { FileView } from './file-view.tsx'
import { JsonView } from './json-view.tsx'
import { SafeLink } from './safe-link.tsx'
import { Visible } from './visible.tsx'

export function ResultView({ outcome }: { readonly outcome: PublicOutcome }): VNode {
  const { labels } = useChatFacts()
  const diff = diffOf(outcome)
  const isEmpty = outcome.parts.every((part) => part.type === 'text' && part.text === '')
  return (
    <>
      {diff !== undefined && (
        <section class="part flush">
          <DiffView diff={diff} />
        </section>
      )}
      <section class="part">
        <header>
          <h4>{outcome.ok ? labels.result : labels.modelSaw}</h4>
        </header>
        {isEmpty ? (
          <p class="quiet">{labels.noResult}</p>
        ) : (
          outcome.parts.map((part, index) => <ContentView key={index} part={part} />)
        )}
      </section>
    </>
  )
}

function diffOf({ details }: PublicOutcome): string | undefined {
  if (typeof details !== 'object' || details === null || !Object.hasOwn(details, 'diff')) return undefined
  const { diff } = details as { readonly diff?: unknown }
  return typeof diff === 'string' && diff !== '' ? diff : undefined
}

function ContentView({ part }: { readonly part: ContentPart }): VNode {
  if (part.type === 'text') return <LongText text={part.text} />
  if (part.type === 'json') return <JsonView value={part.value} />
  if (part.type === 'file') return <FileView file={part} />
  return (
    <p>
      <SafeLink url={part.url} words={part.title ?? part.url ?? part.document ?? ''} />
    </p>
  )
}

const firstLines = 24

/** The beginning of a text, and the rest when asked for. */
function LongText({ text }: { readonly text: string }): VNode {
  const { labels } = useChatFacts()
  const isWhole = useSignal(false)
  const lines = text.split('\n')
  const isCut = !isWhole.value && lines.length > firstLines + 4
  return (
    <>
      <pre class="out" tabIndex={0}>
        <Visible text={isCut ? lines.slice(0, firstLines).join('\n') : text} />
      </pre>
      {isCut && (
        <button type="button" class="link" onClick={() => (isWhole.value = true)}>
          {labels.showAll} ({lines.length})
        </button>
      )}
    </>
  )
}
