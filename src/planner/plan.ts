// Plans a turn by walking it from its start: what is done is taken from the messages, the next thing is returned.
import type { ToolDefinition } from '../message/model-event.ts'
import type { ToolResultPart } from '../message/part.ts'
import { answer, help, refusal } from './answer.ts'
import type { Note } from './answer.ts'
import { splitClauses } from './clause.ts'
import type { Clause } from './clause.ts'
import { decide } from './decision.ts'
import type { Decision, PlannedCall } from './decision.ts'
import { isCut, withoutRemarks } from './remark.ts'
import type { Known } from './request.ts'
import { questionMark, resultText } from './turn.ts'
import type { Turn } from './turn.ts'

/** What the planner does next: runs calls, or says its last words. */
export type Plan =
  | { readonly type: 'calls'; readonly calls: readonly PlannedCall[]; readonly isFirst: boolean }
  | { readonly type: 'text'; readonly text: string }

const mostSteps = 100
const mostParallel = 8

interface Walk {
  readonly turn: Turn
  tools: readonly ToolDefinition[]
  queue: readonly Clause[]
  values: string[]
  last: string | undefined
  isCut: boolean
  notes: Note[]
  /** The next happening that is not accounted for. */
  cursor: number
}

export function planTurn(turn: Turn, tools: readonly ToolDefinition[]): Plan {
  const walk: Walk = {
    turn,
    tools,
    queue: splitClauses(turn.command),
    values: [],
    last: turn.earlier,
    isCut: isCut(turn.earlier ?? ''),
    notes: [],
    cursor: 0,
  }
  if (walk.queue.length === 0) return { type: 'text', text: help(tools) }
  for (let steps = 0; steps < mostSteps && walk.queue.length > 0; steps++) {
    const plan = advance(walk, tools)
    if (plan) return plan
  }
  return { type: 'text', text: answer(walk.notes) }
}

/** Deals with the first clause of the queue; a plan where it cannot go on by itself. */
function advance(walk: Walk, tools: readonly ToolDefinition[]): Plan | undefined {
  const [clause, ...rest] = walk.queue as readonly [Clause, ...Clause[]]
  walk.queue = rest
  const decision = decide(clause.text, walk.tools, known(walk))
  walk.tools = tools
  switch (decision.type) {
    case 'expand':
      walk.queue = [
        ...decision.clauses.map((text, index) => ({ text, isAfter: index === 0 && clause.isAfter })),
        ...rest,
      ]
      return undefined
    case 'value':
      // What was counted need not be shown as well.
      walk.notes = [...walk.notes.slice(0, -1), { title: '', text: decision.text }]
      walk.last = decision.text
      walk.isCut = false
      return undefined
    case 'ask':
      return ask(walk, clause, decision)
    case 'help':
      return { type: 'text', text: help(tools) }
    case 'none':
      return { type: 'text', text: withNotes(walk, refusal(clause.text, decision.text, tools)) }
    case 'call':
      return run(walk, decision.call)
  }
}

const known = ({ values, last, isCut }: Walk): Known => ({ values, last, isCut })

/** Takes the answer that came, or asks. */
function ask(walk: Walk, clause: Clause, question: Extract<Decision, { type: 'ask' }>): Plan | undefined {
  const reply = walk.turn.happenings[walk.cursor]
  if (reply?.type !== 'reply') return { type: 'text', text: withNotes(walk, `${question.text} ${questionMark}`) }
  walk.cursor++
  walk.queue = [{ ...clause, text: amend(clause.text, question, reply.text) }, ...walk.queue]
  const named =
    question.choices && walk.tools.filter((tool) => reply.text.toLowerCase().includes(tool.name.toLowerCase()))
  if (named?.length === 1) walk.tools = named
  return undefined
}

function amend(text: string, { slot, choices }: Extract<Decision, { type: 'ask' }>, reply: string): string {
  if (choices) return text
  if (slot === undefined) return `${text} in ${reply}`
  const quote = reply.includes('"') ? "'" : '"'
  return `${text} ${slot}=${quote}${reply.replaceAll(quote, '')}${quote}`
}

/** Runs a call, together with reads that follow and do not depend on it; or takes the results that came. */
function run(walk: Walk, first: PlannedCall): Plan | undefined {
  const calls = [first]
  while (calls.length < mostParallel && first.isRead && walk.queue[0] && !walk.queue[0].isAfter) {
    // With an empty value, so that what would use one shows itself.
    const next = decide(walk.queue[0].text, walk.tools, { values: [], last: '' })
    if (next.type !== 'call' || !next.call.isRead || next.call.refersBack) break
    calls.push(next.call)
    walk.queue = walk.queue.slice(1)
  }
  const happening = walk.turn.happenings[walk.cursor]
  if (happening?.type !== 'results') return { type: 'calls', calls, isFirst: walk.cursor === 0 }
  walk.cursor++
  return takeResults(walk, calls, happening.results)
}

function takeResults(walk: Walk, calls: readonly PlannedCall[], results: readonly ToolResultPart[]): Plan | undefined {
  const failures = results.filter((result) => !result.ok)
  const raw = results.filter((result) => result.ok).map(resultText)
  const texts = raw.map(withoutRemarks)
  const isConsumed = calls.some((call) => call.refersBack)
  if (isConsumed) walk.notes = walk.notes.slice(0, -1)
  results.forEach((result, index) => {
    if (result.ok) walk.notes.push({ title: titleOf(calls[index], result), text: resultText(result) })
  })
  walk.values.push(...texts)
  walk.last = texts.join('\n')
  walk.isCut = raw.some(isCut)
  if (failures.length === 0) return undefined
  return { type: 'text', text: withNotes(walk, [...failures.map(failureText), ...leftOver(walk)].join('\n')) }
}

function titleOf(call: PlannedCall | undefined, result: ToolResultPart): string {
  const argument = Object.values(call?.input ?? {})[0]
  return typeof argument === 'string' && argument.length <= 60 ? `${result.name} ${argument}` : result.name
}

function failureText(result: ToolResultPart): string {
  const said = resultText(result).trim()
  const what =
    result.reason === 'denied'
      ? `${result.name} was denied`
      : `${result.name} did not work (${result.reason ?? 'failed'})`
  return said === '' ? `${what}.` : `${what}: ${said}`
}

function leftOver(walk: Walk): string[] {
  return walk.queue.length === 0
    ? []
    : [`I stopped there. Not done: ${walk.queue.map((clause) => clause.text).join('; ')}`]
}

const withNotes = (walk: Walk, text: string): string =>
  walk.notes.length === 0 ? text : `${answer(walk.notes)}\n\n${text}`
