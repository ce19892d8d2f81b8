// One entry of a conversation, by its kind.
import type { VNode } from 'preact'
import { wordFor } from '../labels.ts'
import { MarkdownText } from '../markdown/markdown-text.tsx'
import type { EndEntry, Entry, FileEntry, SourceEntry } from '../view/entry.ts'
import { modelLabel } from '../view/model-label.ts'
import { AnswerCard } from './answer-card.tsx'
import { ApprovalCard } from './approval-card.tsx'
import { useChatFacts } from './context.ts'
import { ErrorCard } from './error-card.tsx'
import { FileView } from './file-view.tsx'
import { Icon } from './icon.tsx'
import { ReasoningFold } from './reasoning-fold.tsx'
import { SafeLink } from './safe-link.tsx'
import { ToolCard } from './tool-card.tsx'
import { Name, Prose, Visible } from './visible.tsx'

export function EntryView({ entry }: { readonly entry: Entry }): VNode {
  switch (entry.kind) {
    case 'user':
      return (
        <div class="bubble" part="user-message">
          <Prose text={entry.text} />
        </div>
      )
    case 'by':
      return <By model={entry.model} />
    case 'text':
      return (
        <div class={entry.done ? 'say' : 'say growing'} part="message">
          <MarkdownText text={entry.text} grows={!entry.done} />
        </div>
      )
    case 'reasoning':
      return <ReasoningFold entry={entry} />
    case 'tool':
      if (entry.state !== 'waiting' || entry.request === undefined) return <ToolCard entry={entry} />
      return entry.request.why === 'client-tool' ? (
        <AnswerCard entry={entry} request={entry.request} />
      ) : (
        <ApprovalCard entry={entry} request={entry.request} />
      )
    case 'error':
      return <ErrorCard entry={entry} />
    case 'notice':
      return (
        <p class="notice">
          <Icon name="alert" />
          <span>
            <Visible text={entry.text} />{' '}
            <code>
              <Name text={entry.code} />
            </code>
          </span>
        </p>
      )
    case 'end':
      return <End entry={entry} />
    case 'source':
      return <Source entry={entry} />
    case 'file':
      return <FileLine entry={entry} />
  }
}

/** Which model answers; one that is no AI says so. */
function By({ model }: { readonly model: string }): VNode {
  const { labels } = useChatFacts()
  const { label, ai } = modelLabel(model)
  return (
    <p class="by-line" part="model">
      <b>
        <Name text={label} />
      </b>
      {!ai && <span class="badge">{labels.ruleBased}</span>}
    </p>
  )
}

function End({ entry }: { readonly entry: EndEntry }): VNode {
  const { labels, session } = useChatFacts()
  const mayGoOn = session.continue !== undefined && entry.status !== 'cut'
  return (
    <p class="end">
      <span>{wordFor(labels.stops, entry.stop ?? entry.status)}</span>
      {mayGoOn && (
        <button type="button" class="button small" onClick={() => void session.continue?.()}>
          {labels.goOn}
        </button>
      )}
    </p>
  )
}

function Source({ entry }: { readonly entry: SourceEntry }): VNode {
  const { url, title, document: name } = entry.source
  return (
    <p class="source">
      <SafeLink url={url} words={title ?? name ?? url ?? ''} />
    </p>
  )
}

const FileLine = ({ entry }: { readonly entry: FileEntry }): VNode => <FileView file={entry.file} />
