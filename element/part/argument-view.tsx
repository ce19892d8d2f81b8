// The arguments of a call: as a list for reading, or raw.
import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { Json } from '../../src/message/part.ts'
import type { Coercion } from '../../src/schema/coerce.ts'
import { useChatFacts } from './context.ts'
import { JsonView } from './json-view.tsx'

export interface ArgumentViewProps {
  readonly input: Json
  readonly coercions?: readonly Coercion[] | undefined
}

export function ArgumentView({ input, coercions = [] }: ArgumentViewProps): VNode {
  const { labels } = useChatFacts()
  const isRaw = useSignal(false)
  const entries =
    typeof input === 'object' && input !== null && !Array.isArray(input) ? Object.entries(input) : undefined
  const isEmpty = entries?.length === 0
  return (
    <section class="part">
      <header>
        <h4>{labels.arguments}</h4>
        <span class="gap" />
        {!isEmpty && (
          <button type="button" class="link" aria-pressed={isRaw.value} onClick={() => (isRaw.value = !isRaw.value)}>
            {isRaw.value ? labels.pretty : labels.raw}
          </button>
        )}
      </header>
      {isEmpty && <p class="quiet">{labels.noArguments}</p>}
      {!isEmpty && (isRaw.value || entries === undefined) && <JsonView value={input} />}
      {!isEmpty && !isRaw.value && entries !== undefined && (
        <dl class="pairs">
          {entries.map(([key, value]) => (
            <div key={key}>
              <dt>{key}</dt>
              <dd>{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
            </div>
          ))}
        </dl>
      )}
      {coercions.map(({ path, from, to }) => (
        <p key={path} class="quiet">
          {labels.coerced} <code>{JSON.stringify(to)}</code> ← <code>{JSON.stringify(from)}</code> <code>{path}</code>
        </p>
      ))}
    </section>
  )
}
