// Plans a turn by walking it from its start: what is done is taken from the messages, the next thing is returned.
import type { ToolDefinition } from '../message/model-event.ts'
import type { ToolResultPart } from '../message/part.ts'
import { answer, help, refusal } from './answer.ts'
import type { Note } from './answer.ts'
import { splitClauses } from '../utterance/clause.ts'
import type { Clause } from '../utterance/clause.ts'
import { decide } from './decision.ts'
import type { Decision, PlannedCall } from './decision.ts'
import { isCut, withoutRemarks } from '../utterance/remark.ts'
import { questionMark, resultText } from './turn.ts'
import type { Turn } from './turn.ts'

/** What the planner says, and the calls it makes; without calls these are its last words. */
export interface Plan {
  readonly text: string
  readonly calls: readonly PlannedCall[]
}

const mostSteps = 100
const mostParallel = 8
/** The longest command: a longer one is refused, not cut. */
const mostCharacters = 8_000
const tooLong = `That is longer than ${mostCharacters} characters`

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

const say = (text: string): Plan => ({ text, calls: [] })

/** Says something after what was found so far. */
const sayLast = ({ notes }: Walk, text: string): Plan => say(notes.length === 0 ? text : `${answer(notes)}\n\n${text}`)

export function planTurn(turn: Turn, tools: readonly ToolDefinition[]): Plan {
  if (turn.command.length > mostCharacters) return say(refusal('', tooLong, tools))
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
  if (walk.queue.length === 0) return say(help(tools))
  for (let steps = 0; steps < mostSteps && walk.queue.length > 0; steps++) {
    const plan = advance(walk, tools)
    if (plan) return plan
  }
  return say(answer(walk.notes))
}

/** Deals with the first clause of the queue; a plan where it cannot go on by itself. */
function advance(walk: Walk, tools: readonly ToolDefinition[]): Plan | undefined {
  const [clause, ...rest] = walk.queue as readonly [Clause, ...Clause[]]
  walk.queue = rest
  const decision = decide(clause.text, walk.tools, walk)
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
      return say(help(tools))
    case 'none':
      return sayLast(walk, refusal(clause.text, decision.text, tools))
    case 'call':
      return run(walk, decision.call)
  }
}

type Question = Extract<Decision, { type: 'ask' }>

/** Takes the answer that came, or asks. */
function ask(walk: Walk, clause: Clause, question: Question): Plan | undefined {
  const reply = walk.turn.happenings[walk.cursor]
  if (reply?.type !== 'reply') return sayLast(walk, `${question.text} ${questionMark}`)
  const { text } = reply
  if (text.length > mostCharacters) return sayLast(walk, refusal('', tooLong, walk.tools))
  walk.cursor++
  walk.queue = [{ ...clause, text: amend(clause.text, question, text) }, ...walk.queue]
  const named = question.choices && walk.tools.filter((tool) => text.toLowerCase().includes(tool.name.toLowerCase()))
  if (named?.length === 1) walk.tools = named
  return undefined
}

function amend(text: string, { slot, choices }: Question, reply: string): string {
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
  if (happening?.type === 'results') {
    walk.cursor++
    return takeResults(walk, calls, happening.results)
  }
  const why = calls.map((call) => call.why).join('\n')
  return { calls, text: walk.cursor === 0 ? `Rule-based planner, no AI: ${why}` : why.replace('m', 'M') }
}

function takeResults(walk: Walk, calls: readonly PlannedCall[], results: readonly ToolResultPart[]): Plan | undefined {
  const failures = results.filter((result) => !result.ok)
  const raw = results.filter((result) => result.ok).map(resultText)
  const texts = raw.map(withoutRemarks)
  if (calls.some((call) => call.refersBack)) walk.notes = walk.notes.slice(0, -1)
  results.forEach((result, index) => {
    if (result.ok) walk.notes.push({ title: titleOf(calls[index], result), text: resultText(result) })
  })
  walk.values.push(...texts)
  walk.last = texts.join('\n')
  walk.isCut = raw.some(isCut)
  if (failures.length === 0) return undefined
  const left = walk.queue.map((clause) => clause.text).join('; ')
  const lines = [...failures.map(failureText), ...(left === '' ? [] : [`I stopped there. Not done: ${left}`])]
  return sayLast(walk, lines.join('\n'))
}

function titleOf(call: PlannedCall | undefined, { name }: ToolResultPart): string {
  const argument = Object.values(call?.input ?? {})[0]
  return typeof argument === 'string' && argument.length <= 60 ? `${name} ${argument}` : name
}

function failureText(result: ToolResultPart): string {
  const { name, reason = 'failed' } = result
  const what = reason === 'denied' ? `${name} was denied` : `${name} did not work (${reason})`
  const said = resultText(result).trim()
  return said === '' ? `${what}.` : `${what}: ${said}`
}
