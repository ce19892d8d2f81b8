// A JSON value, indented, its kinds told apart by colour.
import type { ComponentChildren, VNode } from 'preact'

import { visibleJson } from '../view/visible.ts'

const longestColoured = 20_000
const token = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

function coloured(text: string): ComponentChildren[] {
  const out: ComponentChildren[] = []
  let at = 0
  for (const match of text.matchAll(token)) {
    const [whole, string, colon] = match
    if (match.index > at) out.push(text.slice(at, match.index))
    if (string === undefined) out.push(<i class="number">{whole}</i>)
    else out.push(<i class={colon === undefined ? 'string' : 'key'}>{string}</i>, colon ?? '')
    at = match.index + whole.length
  }
  out.push(text.slice(at))
  return out
}

export function JsonView({ value }: { readonly value: unknown }): VNode {
  const text = visibleJson(value)
  return (
    <pre class="json" tabIndex={0}>
      {text.length > longestColoured ? text : coloured(text)}
    </pre>
  )
}
