// A link to an address that a model or a tool gave, where it may be followed; else only its words.
import type { VNode } from 'preact'
import { safeHref } from '../markdown/inline.ts'
import { Name } from './visible.tsx'

export interface SafeLinkProps {
  readonly url: string | undefined
  readonly words: string
}

export function SafeLink({ url, words }: SafeLinkProps): VNode {
  const href = url === undefined ? undefined : safeHref(url)
  if (href === undefined) return <Name text={words} />
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      <Name text={words} />
    </a>
  )
}
