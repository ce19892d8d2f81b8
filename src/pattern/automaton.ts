// Matches text against a pattern in time linear in the text: an automaton whose states are made when first needed and
// kept. Globs and searched expressions come from models; backtracking would let one of them hang the page.
import { SameloopError } from '../error/error.ts'

export type Edge = 'start' | 'end' | 'word' | 'not-word'

/** A pattern as a tree. `test` decides about one code point. */
export type PatternNode =
  | { readonly type: 'char'; readonly test: (code: number) => boolean }
  | { readonly type: 'sequence' | 'choice'; readonly items: readonly PatternNode[] }
  | { readonly type: 'repeat'; readonly item: PatternNode; readonly min: number; readonly max: number }
  | { readonly type: 'edge'; readonly at: Edge }

type Step =
  | { readonly type: 'char'; readonly test: (code: number) => boolean; readonly next: number }
  | { readonly type: 'edge'; readonly at: Edge; readonly next: number }
  | { readonly type: 'split'; readonly other: number; next: number }
  | { readonly type: 'match' }

/** What the text has next to a place in it: nothing, a word character, or another one. */
type Side = 'edge' | 'word' | 'other'

interface State {
  readonly steps: readonly number[]
  readonly before: Side
  /** By code point below 128; the others are in `wide`. A boolean is a decision no later character changes. */
  readonly next: (State | boolean | undefined)[]
  readonly wide: Map<number, State | boolean>
  /** Whether the text may end here. */
  ends: boolean | undefined
}

interface Machine {
  readonly program: readonly Step[]
  readonly entry: number
  readonly anywhere: boolean
  states: Map<string, State>
  first: State | undefined
  held: number
  work: number
}

const maxSteps = 1000
/** Steps of states and transitions kept at once; then all are made anew. */
const maxHeld = 200_000
/** Steps visited while making states, over the automaton's whole life: a second or two. */
const maxWork = 5_000_000

/** Whether a code point is one of `A-Z a-z 0-9 _`. */
export const isWord = (code: number): boolean =>
  (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || code === 95 || (code >= 97 && code <= 122)

/**
 * Whether a text has a match anywhere, or as a whole, as a function. Throws `expression-invalid` for a pattern of more than
 * 1000 steps; so does the function once its work exceeds a fixed measure (a second or two), which no clock decides.
 */
export function automaton(pattern: PatternNode, find: 'anywhere' | 'whole'): (text: string) => boolean {
  const program: Step[] = [{ type: 'match' }]
  const entry = emit(program, pattern, 0)
  const machine: Machine = {
    program,
    entry,
    anywhere: find === 'anywhere',
    states: new Map(),
    first: undefined,
    held: 0,
    work: 0,
  }
  return (text) => run(machine, text)
}

/** `expression-invalid` for a pattern that cannot be used. */
export function patternError(reason: string): SameloopError {
  return new SameloopError('expression-invalid', `Cannot use the pattern: ${reason}`)
}

/** Puts the node's steps before the step `next` and returns where they begin. */
function emit(program: Step[], node: PatternNode, next: number): number {
  if (node.type === 'char') return add(program, { type: 'char', test: node.test, next })
  if (node.type === 'edge') return add(program, { type: 'edge', at: node.at, next })
  if (node.type === 'sequence') return node.items.reduceRight((after, item) => emit(program, item, after), next)
  if (node.type === 'repeat') return emitRepeat(program, node, next)
  const [last = next, ...others] = node.items.map((item) => emit(program, item, next)).reverse()
  return others.reduce((rest, branch) => add(program, { type: 'split', other: branch, next: rest }), last)
}

function emitRepeat(program: Step[], node: PatternNode & { type: 'repeat' }, next: number): number {
  let at = next
  if (node.max === Infinity) {
    const loop: Step = { type: 'split', other: next, next }
    at = add(program, loop)
    loop.next = emit(program, node.item, at)
  }
  for (let count = node.min; node.max !== Infinity && count < node.max; count += 1) {
    at = add(program, { type: 'split', other: next, next: emit(program, node.item, at) })
  }
  for (let count = 0; count < node.min; count += 1) {
    const before = emit(program, node.item, at)
    // An item without steps: however often it is repeated, nothing is added.
    if (before === at) break
    at = before
  }
  return at
}

function add(program: Step[], step: Step): number {
  if (program.length >= maxSteps) throw patternError('it is too large: use fewer or smaller repetitions')
  return program.push(step) - 1
}

function run(machine: Machine, text: string): boolean {
  let state = (machine.first ??= stateOf(machine, [machine.entry], 'edge'))
  for (let index = 0; index < text.length; index += 1) {
    const code = text.codePointAt(index)!
    if (code > 0xffff) index += 1
    const to = (code < 128 ? state.next[code] : state.wide.get(code)) ?? take(machine, state, code)
    if (typeof to === 'boolean') return to
    state = to
  }
  return (state.ends ??= reach(machine, state, 'edge').matched)
}

/** Where a character leads from a state. */
function take(machine: Machine, state: State, code: number): State | boolean {
  const side: Side = isWord(code) ? 'word' : 'other'
  const { matched, waiting } = reach(machine, state, side)
  let to: State | boolean = machine.anywhere && matched
  if (!to) {
    const after = waiting.filter((step) => step.test(code)).map((step) => step.next)
    if (machine.anywhere) after.push(machine.entry)
    to = after.length > 0 && stateOf(machine, after, side)
  }
  machine.held += 1
  if (code < 128) state.next[code] = to
  else state.wide.set(code, to)
  return to
}

/** What waits for a character, once the side after it is known, and whether the pattern has matched before it. */
function reach(
  machine: Machine,
  state: State,
  after: Side,
): { readonly matched: boolean; readonly waiting: readonly (Step & { type: 'char' })[] } {
  const seen = new Set(state.steps)
  const waiting: (Step & { type: 'char' })[] = []
  let matched = false
  // A set may grow while it is walked: what is added is visited too.
  for (const index of seen) {
    const step = machine.program[index]!
    if (step.type === 'char') waiting.push(step)
    else if (step.type === 'split') seen.add(step.other).add(step.next)
    else if (step.type === 'match') matched = true
    else if (holds(step.at, state.before, after)) seen.add(step.next)
  }
  machine.work += seen.size
  if (machine.work > maxWork) throw patternError('it takes too much work on these texts: make it simpler')
  return { matched, waiting }
}

function holds(edge: Edge, before: Side, after: Side): boolean {
  if (edge === 'start') return before === 'edge'
  if (edge === 'end') return after === 'edge'
  return ((before === 'word') !== (after === 'word')) === (edge === 'word')
}

function stateOf(machine: Machine, steps: readonly number[], before: Side): State {
  if (machine.held > maxHeld) {
    machine.states = new Map()
    machine.first = undefined
    machine.held = 0
  }
  const distinct = [...new Set(steps)].sort((left, right) => left - right)
  const key = `${before} ${distinct.join()}`
  let state = machine.states.get(key)
  if (state === undefined) {
    state = { steps: distinct, before, next: [], wide: new Map(), ends: undefined }
    machine.states.set(key, state)
    machine.held += distinct.length
  }
  return state
}
