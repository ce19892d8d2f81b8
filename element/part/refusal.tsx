// Why an answer was not taken, at the place where it was given.
import type { VNode } from 'preact'
import type { Answering } from './question.ts'
import { Visible } from './visible.tsx'

export function Refusal({ answering }: { readonly answering: Answering }): VNode | null {
  const words = answering.refused.value
  if (words === '') return null
  return (
    <p class="refused" role="alert">
      <Visible text={words} />
    </p>
  )
}
