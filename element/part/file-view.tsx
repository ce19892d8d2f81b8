// A file that a model or a tool gave: an image is shown from its own bytes, everything else only named.
import type { VNode } from 'preact'
import type { FilePart } from '../../src/message/part.ts'
import { safeHref } from '../markdown/inline.ts'
import { Icon } from './icon.tsx'

const shown = /^image\/(png|jpeg|gif|webp|avif)$/

export function FileView({ file }: { readonly file: FilePart }): VNode {
  const { mediaType, data, url, name } = file
  const words = name ?? mediaType
  if (data !== undefined && shown.test(mediaType))
    return <img class="image" src={`data:${mediaType};base64,${data}`} alt={words} />
  const href = url === undefined ? undefined : safeHref(url)
  return (
    <p class="source">
      <Icon name="file" />
      {href === undefined ? (
        words
      ) : (
        <a href={href} target="_blank" rel="noopener noreferrer nofollow">
          {words}
        </a>
      )}
    </p>
  )
}
