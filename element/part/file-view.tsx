// A file that a model or a tool gave: an image is shown from its own bytes, everything else only named.
import type { VNode } from 'preact'
import type { FilePart } from '../../src/message/part.ts'
import { visibleText } from '../view/visible.ts'
import { Icon } from './icon.tsx'
import { SafeLink } from './safe-link.tsx'

const shown = /^image\/(png|jpeg|gif|webp|avif)$/

export function FileView({ file }: { readonly file: FilePart }): VNode {
  const { mediaType, data, url, name } = file
  const words = name ?? mediaType
  if (data !== undefined && shown.test(mediaType))
    return <img class="image" src={`data:${mediaType};base64,${data}`} alt={visibleText(words)} />
  return (
    <p class="source">
      <Icon name="file" />
      <SafeLink url={url} words={words} />
    </p>
  )
}
