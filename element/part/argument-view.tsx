// The arguments of a call: as a list for reading, or raw.
import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import type { Json } from '../../src/json/value.ts'
import type { Coercion } from '../../src/schema/coerce.ts'
import { useChatFacts } from './context.ts'
import { visibleJson } from '../view/visible.ts'
import { JsonView } from './json-view.tsx'
import { Name, Visible } from './visible.tsx'

export interface ArgumentViewProps {
  readonly input: Json
  readonly coercions?: readonly Coercion[] | undefined
}

/** It may need to be scrolled. */
const isLong = (value: unknown): boolean => typeof value !== 'string' || value.length > 500

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
              <dt>
                <Name text={key} />
              </dt>
              <dd tabIndex={isLong(value) ? 0 : undefined}>
                {typeof value === 'string' ? <Visible text={value} /> : visibleJson(value, 0)}
              </dd>
            </div>
          ))}
        </dl>
      )}
      {coercions.map(({ path, from, to }) => (
        <p key={path} class="quiet">
          {labels.coerced} <code>{visibleJson(to, 0)}</code> ← <code>{visibleJson(from, 0)}</code>{' '}
          <code>
            <Name text={path} />
          </code>
        </p>
      ))}
    </section>
  )
}
