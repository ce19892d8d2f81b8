// A unified diff with line numbers; the signs stay, so that colour is not all there is. Where something of it is not
// shown, it says so and offers it.
import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { DiffRow } from '../view/diff-rows.ts'
import { diffRows } from '../view/diff-rows.ts'
import { useChatFacts } from './context.ts'
import { Visible } from './visible.tsx'

const signs = { same: ' ', add: '+', remove: '-', gap: '⋯', note: ' ' } as const

/** As many rows have elements of their own when all is asked for; what follows is one text. */
const mostRows = 4000
/** So many fit without scrolling. */
const rowsInView = 16

export function DiffView({ diff }: { readonly diff: string }): VNode {
  const { labels } = useChatFacts()
  const isWhole = useSignal(false)
  const { rows, added, removed, left, rest, isCut } = diffRows(diff, isWhole.value ? mostRows : undefined)
  const isLeft = left > 0 && !isWhole.value
  const lines = rows.length + left
  return (
    <>
      <div class="diff" part="diff" role="group" aria-label={`${labels.change}: +${added} −${removed}`} tabIndex={0}>
        {rows.map((row, index) => (
          <Row key={index} row={row} />
        ))}
        {left > 0 && isWhole.value && (
          <pre class="rest">
            <Visible text={rest} />
          </pre>
        )}
      </div>
      {isLeft && (
        <p class="diff-foot short" role="note">
          <span>
            {labels.linesLeft}: {left}
          </span>
          <button type="button" class="link" onClick={() => (isWhole.value = true)}>
            {labels.showAll} ({lines})
          </button>
        </p>
      )}
      {isCut && (
        <p class="diff-foot short" role="note">
          {labels.changeCut}
        </p>
      )}
      {!isLeft && !isCut && lines > rowsInView && (
        <p class="diff-foot">
          {labels.lines}: {lines}
        </p>
      )}
    </>
  )
}

function Row({ row: { kind, text, number } }: { readonly row: DiffRow }): VNode {
  return (
    <div class={kind}>
      <span class="n">{number}</span>
      <span class="sign">{signs[kind]}</span>
      <span class="code">
        <Visible text={text} />
      </span>
    </div>
  )
}
