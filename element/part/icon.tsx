// The few drawings the chat and the page use, as inline SVG in the colour of the text.
import type { VNode } from 'preact'
import { iconPaths } from './icon-path.ts'
import type { IconName } from './icon-path.ts'

/** Decoration only: what it means stands beside it in words. */
export function Icon({ name }: { readonly name: IconName }): VNode {
  return (
    <svg
      class="icon"
      viewBox="0 0 24 24"
      aria-hidden="true"
      fill="none"
      stroke="currentColor"
      stroke-width="2"
      stroke-linecap="round"
      stroke-linejoin="round"
    >
      <path d={iconPaths[name]} />
    </svg>
  )
}
