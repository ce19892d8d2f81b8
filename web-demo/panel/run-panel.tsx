// The current run: its figures, and what it did when.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { VNode } from 'preact'
import { Name } from '../../element/part/visible.tsx'
import { count, duration } from '../../element/view/figure.ts'
import { runPicture } from '../../element/view/spans.ts'
import type { Row, RunPicture } from '../../element/view/spans.ts'
import { timeAxis } from '../../element/view/time-axis.ts'
import type { Axis } from '../../src/drawing/time-axis.ts'
import type { OpenChat } from '../state/chats.ts'

const tickMs = 200

export function RunPanel({ chat }: { readonly chat: OpenChat }): VNode {
  // The events have the clock of whoever runs the agent.
  const clock = chat.session.now ?? Date.now
  const now = useSignal(clock())
  const picture = useSignal<RunPicture>(runPicture(chat.session.records))
  useEffect(() => {
    const draw = (): void => {
      picture.value = runPicture(chat.session.records)
      now.value = clock()
    }
    draw()
    const leave = chat.session.subscribe((record) => {
      if (record.type !== 'event' || !('delta' in record.event)) draw()
    })
    const timer = setInterval(() => {
      if (!picture.peek().ended || picture.peek().status === 'suspended') now.value = clock()
    }, tickMs)
    return () => {
      leave()
      clearInterval(timer)
    }
  }, [chat])
  const { value } = picture
  const axis = timeAxis(value.rows, now.value)
  if (value.run === undefined)
    return <p class="nothing">Nothing ran yet. Steps, tool calls and waiting times show here as they happen.</p>
  return (
    <div class="run">
      <Meters picture={value} workMs={axis.workMs} />
      <h3>Timeline</h3>
      <ol class="bars">
        {value.rows.map((row) => (
          <Bar key={row.key} row={row} axis={axis} now={now.value} />
        ))}
      </ol>
      <Legend rows={value.rows} />
    </div>
  )
}

function Meters({ picture, workMs }: { readonly picture: RunPicture; readonly workMs: number }): VNode {
  const { input, output } = picture.usage
  const isKnown = input !== undefined || output !== undefined
  const tokens = isKnown ? count((input ?? 0) + (output ?? 0)) : '–'
  const meters: readonly (readonly [string, string, string?])[] = [
    [String(picture.steps), picture.steps === 1 ? 'step' : 'steps'],
    [String(picture.toolCalls), picture.toolCalls === 1 ? 'tool call' : 'tool calls'],
    [tokens, 'tokens', isKnown ? `${input ?? 0} in, ${output ?? 0} out` : 'The model gave no numbers'],
    [duration(workMs), 'work', 'Without waiting for you'],
  ]
  return (
    <dl class="meters">
      {meters.map(([value, words, title]) => (
        <div key={words} title={title}>
          <dt>{words}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

const percent = (part: number): string => `${(part * 100).toFixed(2)}%`

function Bar({ row, axis, now }: { readonly row: Row; readonly axis: Axis; readonly now: number }): VNode {
  const isWaiting = row.segments.at(-1)?.kind === 'wait' && row.segments.at(-1)?.end === undefined
  const length = row.segments.reduce((sum, { start, end }) => sum + ((end ?? Math.max(now, start)) - start), 0)
  return (
    <li class="bar-row">
      <span class="label">
        <Name text={row.kind === 'model' ? `${row.step}. ${row.label}` : row.label} />
      </span>
      <span class="track" aria-hidden="true">
        {row.segments.map(({ kind, start, end, failed }) => {
          const from = axis.at(start)
          const to = axis.at(end ?? Math.max(now, start))
          return (
            <i
              key={`${kind}${start}`}
              class={failed === true ? `${kind} failed` : kind}
              style={{ left: percent(from), width: `max(3px, ${percent(to - from)})` }}
            />
          )
        })}
      </span>
      <span class="ms">{isWaiting ? 'waiting' : duration(length)}</span>
    </li>
  )
}

const kinds = { model: 'Model', tool: 'Tool', wait: 'Waiting for you' } as const

function Legend({ rows }: { readonly rows: readonly Row[] }): VNode {
  const present = new Set(rows.flatMap(({ segments }) => segments.map(({ kind }) => kind)))
  return (
    <p class="legend">
      {[...present].map((kind) => (
        <span key={kind}>
          <i class={kind} />
          {kinds[kind]}
        </span>
      ))}
      {present.has('wait') && <span>Waits are drawn short</span>}
    </p>
  )
}
