// A unified diff with line numbers; the signs stay, so that colour is not all there is.
import type { VNode } from 'preact'
import { diffRows } from '../view/diff-rows.ts'
import { useChatFacts } from './context.ts'

const signs = { same: ' ', add: '+', remove: '-', gap: '⋯' } as const

export function DiffView({ diff }: { readonly diff: string }): VNode {
  const { labels } = useChatFacts()
  const { rows, added, removed, left } = diffRows(diff)
  return (
    <div class="diff" part="diff" role="group" aria-label={`${labels.change}: +${added} −${removed}`} tabIndex={0}>
      {rows.map(({ kind, text, number }, index) => (
        <div key={index} class={kind}>
          <span class="n">{number}</span>
          <span class="sign">{signs[kind]}</span>
          {text}
        </div>
      ))}
      {left > 0 && <div class="gap">… {left}</div>}
    </div>
  )
}
