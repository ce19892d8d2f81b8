// Text from a model, a tool or a file, with nothing hidden in it.
import type { ComponentChildren, VNode } from 'preact'
import { markText, visiblePieces } from '../view/visible.ts'

export interface VisibleProps {
  readonly text: string
}

/** The text with marks for what cannot be seen in it. */
export function Visible({ text }: VisibleProps): VNode {
  return <>{visibleNodes(text)}</>
}

// Marks of direction alone, and joiners, belong to the spelling of some languages.
const turning = /[\u202a-\u202e\u2066-\u2069]/

/** Running text: it is marked only where something turns text around. */
export function Prose({ text }: VisibleProps): VNode {
  return <>{turning.test(text) ? visibleNodes(text) : text}</>
}

/** A name or a short value: it cannot turn what stands beside it around either. */
export function Name({ text }: VisibleProps): VNode {
  return <bdi dir="ltr">{visibleNodes(text)}</bdi>
}

const visibleNodes = (text: string): ComponentChildren[] =>
  visiblePieces(text).map((piece, index) =>
    typeof piece === 'string' ? (
      piece
    ) : (
      <mark key={index} class="hidden">
        {markText(piece)}
      </mark>
    ),
  )
