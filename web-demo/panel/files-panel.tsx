// The files of the conversation: a tree, the open file, and ways in and out.
import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import type { VNode } from 'preact'
import { Icon } from '../../element/part/icon.tsx'
import { byteSize } from '../../element/view/figure.ts'
import { openPath } from '../state/app.ts'
import { refreshFiles } from '../state/chats.ts'
import type { OpenChat, Place } from '../state/chats.ts'
import { FileTree } from './file-tree.tsx'
import { FileViewer } from './file-viewer.tsx'

export function FilesPanel({ chat }: { readonly chat: OpenChat }): VNode {
  const input = useRef<HTMLInputElement>(null)
  const isOver = useSignal(false)
  const { isCut } = chat.listed.value
  const count = chat.listed.value.files.filter(({ type }) => type === 'file').length
  const path = openPath.value
  return (
    <div
      class={isOver.value ? 'files over' : 'files'}
      onDragOver={(event) => {
        event.preventDefault()
        isOver.value = true
      }}
      onDragLeave={() => (isOver.value = false)}
      onDrop={(event) => {
        event.preventDefault()
        isOver.value = false
        void upload(chat, [...(event.dataTransfer?.files ?? [])])
      }}
    >
      <p class="bar">
        <span>
          {count === 1 ? '1 file' : `${count} files`}
          {isCut && ' and more'}
        </span>
        <span class="gap" />
        <button type="button" class="link" onClick={() => input.current?.click()}>
          <Icon name="upload" />
          Upload
        </button>
        <input
          ref={input}
          type="file"
          multiple
          hidden
          aria-label="Upload files"
          onChange={(event) => {
            void upload(chat, [...(event.currentTarget.files ?? [])])
            event.currentTarget.value = ''
          }}
        />
      </p>
      {chat.trouble.value !== '' && (
        <p class="nothing" role="alert">
          {chat.trouble.value}
        </p>
      )}
      {count === 0 && chat.trouble.value === '' && (
        <p class="nothing">No files yet. Drop some here, or let the agent write one.</p>
      )}
      <FileTree chat={chat} />
      {path !== undefined && <FileViewer key={path} chat={chat} path={path} />}
    </div>
  )
}

/** Of one file. The worker takes requests of at most 1 MiB. */
const mostBytes: Readonly<Record<Place, number>> = { here: 8_000_000, worker: 2 ** 20 }

async function upload(chat: OpenChat, files: readonly File[]): Promise<void> {
  try {
    for (const file of files) {
      if (file.size > mostBytes[chat.place]) throw new RangeError(file.name)
      await chat.files.write(`/${file.name}`, new Uint8Array(await file.arrayBuffer()))
    }
    await refreshFiles(chat)
  } catch (thrown) {
    const isLarge = thrown instanceof RangeError
    chat.trouble.value = isLarge
      ? `"${thrown.message}" is larger than ${byteSize(mostBytes[chat.place])}, the most that can be uploaded here`
      : 'The upload failed: a file could not be written'
  }
}
