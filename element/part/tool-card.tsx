// A tool call: one line, and behind it its arguments, the decision about it and what came back.
import { useSignal } from '@preact/signals'
import type { VNode } from 'preact'
import { wordFor } from '../labels.ts'
import type { Labels } from '../labels.ts'
import type { ToolEntry } from '../view/entry.ts'
import { argumentLine, duration } from '../view/figure.ts'
import { ArgumentView } from './argument-view.tsx'
import { useChatFacts } from './context.ts'
import { Icon } from './icon.tsx'
import type { IconName } from './icon-path.ts'
import { JsonView } from './json-view.tsx'
import { ResultView } from './result-view.tsx'
import { Name, Visible } from './visible.tsx'

export function ToolCard({ entry }: { readonly entry: ToolEntry }): VNode {
  const { labels, openFile } = useChatFacts()
  const isOpen = useSignal(false)
  const path = pathOf(entry)
  return (
    <details
      class="card tool"
      part="tool"
      data-state={entry.state}
      open={isOpen.value}
      onToggle={(event) => (isOpen.value = event.currentTarget.open)}
    >
      <summary class="top">
        <StateMark entry={entry} />
        <span class="name">
          <Name text={entry.name} />
        </span>
        <span class="line">
          <Name text={argumentLine(entry.input ?? entry.text)} />
        </span>
        <span class="state">{stateWords(entry, labels)}</span>
        <Icon name="chevron" />
      </summary>
      {isOpen.value && (
        <div class="body">
          {entry.input !== undefined && <ArgumentView input={entry.input} coercions={entry.coercions} />}
          {entry.decision !== undefined && (
            <p class="part decision">
              {wordFor(labels.decisions, entry.decision.word)}
              {entry.decision.reason !== undefined && entry.decision.reason !== '' && (
                <Visible text={`: ${entry.decision.reason}`} />
              )}
            </p>
          )}
          {entry.outcome === undefined && entry.progress !== undefined && (
            <section class="part">
              <JsonView value={entry.progress} />
            </section>
          )}
          {entry.outcome !== undefined && <ResultView outcome={entry.outcome} />}
          {openFile !== undefined && path !== undefined && (
            <p class="part">
              <button type="button" class="button small" onClick={() => openFile(path)}>
                <Icon name="file" />
                {labels.openFile} <Name text={path} />
              </button>
            </p>
          )}
        </div>
      )}
    </details>
  )
}

const marks: Readonly<Record<ToolEntry['state'], readonly [look: string, icon: IconName]>> = {
  writing: ['busy', 'dash'],
  planned: ['busy', 'dash'],
  running: ['busy', 'dash'],
  waiting: ['ask', 'question'],
  done: ['ok', 'check'],
  failed: ['bad', 'cross'],
}

/** Denied and undecided calls went as a person wanted: they are no fault. */
const calm = new Set(['denied', 'undecided', 'aborted'])

function StateMark({ entry }: { readonly entry: ToolEntry }): VNode {
  const [look, icon] = calm.has(entry.reason ?? '') ? (['calm', 'dash'] as const) : marks[entry.state]
  return <span class={`mark ${look}`}>{look !== 'busy' && <Icon name={icon} />}</span>
}

function stateWords({ state, reason, durationMs }: ToolEntry, labels: Labels): string {
  if (state === 'failed') return wordFor(labels.reasons, reason ?? 'failed')
  if (state === 'done') return durationMs === undefined ? wordFor(labels.states, 'done') : duration(durationMs)
  return wordFor(labels.states, state)
}

/** The file a call was about, where it succeeded and names one. */
function pathOf({ input, state, name }: ToolEntry): string | undefined {
  if (
    state !== 'done' ||
    !name.startsWith('fs_') ||
    typeof input !== 'object' ||
    input === null ||
    !Object.hasOwn(input, 'path')
  )
    return undefined
  const { path } = input as { readonly path?: unknown }
  return typeof path === 'string' && name !== 'fs_list' && name !== 'fs_delete' ? path : undefined
}
