// One file: text with line numbers, JSON indented, images; everything else by its size.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { VNode } from 'preact'
import { Icon } from '../../element/part/icon.tsx'
import { JsonView } from '../../element/part/json-view.tsx'
import { Name, Visible } from '../../element/part/visible.tsx'
import { byteSize } from '../../element/view/figure.ts'
import { visibleText } from '../../element/view/visible.ts'
import { parseJson } from '../../src/json/text.ts'
import { openPath } from '../state/app.ts'
import type { OpenChat } from '../state/chats.ts'
import { decodedFile, imageType, offerDownload } from './file-content.ts'

const mostLines = 5000

export function FileViewer({ chat, path }: { readonly chat: OpenChat; readonly path: string }): VNode {
  const data = useSignal<Uint8Array | undefined>(undefined)
  const isMissing = useSignal(false)
  const facts = chat.listed.value.files.find((file) => file.path === path)
  useEffect(() => {
    let isCurrent = true
    chat.files.read(path).then(
      (bytes) => {
        if (isCurrent) data.value = bytes
        if (isCurrent) isMissing.value = false
      },
      () => {
        if (isCurrent) isMissing.value = true
      },
    )
    return () => void (isCurrent = false)
  }, [chat, path, facts?.version])
  const bytes = data.value
  return (
    <section class="viewer" aria-label={visibleText(path)}>
      <header>
        <Icon name="file" />
        <b class="path">
          <Name text={path} />
        </b>
        <span class="size">{bytes && byteSize(bytes.length)}</span>
        <span class="gap" />
        {bytes && (
          <button
            type="button"
            class="icon-button"
            aria-label={`Download ${visibleText(path)}`}
            title="Download"
            onClick={() => offerDownload(path, bytes)}
          >
            <Icon name="download" />
          </button>
        )}
        <button
          type="button"
          class="icon-button"
          aria-label="Close the file"
          title="Close"
          onClick={() => (openPath.value = undefined)}
        >
          <Icon name="cross" />
        </button>
      </header>
      {isMissing.value && <p class="nothing">This file cannot be read. It may have been deleted.</p>}
      {!isMissing.value && bytes && <Content path={path} bytes={bytes} />}
    </section>
  )
}

function Content({ path, bytes }: { readonly path: string; readonly bytes: Uint8Array }): VNode {
  const media = imageType(path)
  if (media !== undefined) return <Picture bytes={bytes} media={media} path={path} />
  const text = decodedFile(bytes)
  if (text === undefined)
    return <p class="nothing">Not text: {byteSize(bytes.length)} of bytes. Download it to look inside.</p>
  if (text === '') return <p class="nothing">This file is empty.</p>
  return path.endsWith('.json') ? <JsonText text={text} /> : <Lines text={text} />
}

/** Indented as it is wanted by people, or as it was written. */
function JsonText({ text }: { readonly text: string }): VNode {
  const isRaw = useSignal(false)
  const parsed = parseJson(text)
  if (!parsed.ok) return <Lines text={text} />
  return (
    <>
      <p class="bar">
        <button type="button" class="link" aria-pressed={isRaw.value} onClick={() => (isRaw.value = !isRaw.value)}>
          {isRaw.value ? 'Pretty' : 'As written'}
        </button>
      </p>
      {isRaw.value ? <Lines text={text} /> : <JsonView value={parsed.value} />}
    </>
  )
}

function Lines({ text }: { readonly text: string }): VNode {
  const lines = (text.endsWith('\n') ? text.slice(0, -1) : text).split(/\r?\n/)
  const shown = lines.slice(0, mostLines)
  return (
    <div class="text" tabIndex={0}>
      <pre class="numbers" aria-hidden="true">
        {shown.map((_, index) => index + 1).join('\n')}
      </pre>
      <pre class="lines">
        <Visible text={shown.join('\n')} />
      </pre>
      {lines.length > mostLines && <p class="nothing">{lines.length - mostLines} more lines are in the download.</p>}
    </div>
  )
}

function Picture({
  bytes,
  media,
  path,
}: {
  readonly bytes: Uint8Array
  readonly media: string
  readonly path: string
}): VNode {
  const address = useSignal('')
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([new Uint8Array(bytes)], { type: media }))
    address.value = made
    return () => URL.revokeObjectURL(made)
  }, [bytes, media])
  return <p class="picture">{address.value !== '' && <img src={address.value} alt={visibleText(path)} />}</p>
}
