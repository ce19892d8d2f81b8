// The language of `bc`: a line of statements, calculated as it is read.
import {
  add,
  atScale,
  CalculationError,
  compare,
  costOf,
  decimal,
  divide,
  maxDigits,
  multiply,
  negate,
} from './decimal.ts'
import { power, remainder, squareRoot } from './decimal.ts'
import type { Decimal } from './decimal.ts'

/** A string is printed as it is, a number in a base, and `end` after it. */
export type Printed = string | { readonly value: Decimal; readonly base: number; readonly end: string }

interface State {
  scale: number
  ibase: number
  obase: number
  last: Decimal
  readonly variables: Map<string, Decimal>
  readonly output: Printed[]
  isOver: boolean
  /** What may still be done: nothing else could stop a program that calculates. */
  left: number
}

interface Reader {
  readonly tokens: readonly string[]
  at: number
  depth: number
}

const maxScale = 1000
/** Operations with short numbers; those with long ones cost more. */
const maxWork = 30_000_000
const maxDepth = 200
const zero = decimal(0n)
const token =
  /\s*("[^"]*"|[0-9A-F]*\.?[0-9A-F]+|[0-9A-F]+\.?|[a-z][a-z0-9_]*|\+\+|--|[-+*/%^=<>!]=|&&|\|\||[-+*/%^=<>!(),;{}])/y
const unsupported = new Set(['if', 'else', 'while', 'for', 'define', 'auto', 'return', 'break', 'continue', 'read'])
const operators: Readonly<Record<string, (left: Decimal, right: Decimal, scale: number) => Decimal>> = {
  '+': add,
  '-': (left, right) => add(left, negate(right)),
  '*': multiply,
  '/': divide,
  '%': remainder,
  '^': power,
}
const relations: Readonly<Record<string, (order: number) => boolean>> = {
  '==': (order) => order === 0,
  '!=': (order) => order !== 0,
  '<': (order) => order < 0,
  '>': (order) => order > 0,
  '<=': (order) => order <= 0,
  '>=': (order) => order >= 0,
}

export interface Calculated {
  readonly output: readonly Printed[]
  readonly isOver: boolean
  /** A fault ends its line; what came before it is printed. */
  readonly fault?: string | undefined
}

/** A calculator that runs one line after the other. */
export function calculation(scale: number): (line: string) => Calculated {
  const state: State = {
    scale,
    ibase: 10,
    obase: 10,
    last: zero,
    variables: new Map(),
    output: [],
    isOver: false,
    left: maxWork,
  }
  return (line) => {
    state.output.length = 0
    let fault: string | undefined
    try {
      const reader: Reader = { tokens: tokensOf(line), at: 0, depth: 0 }
      while (reader.at < reader.tokens.length && !state.isOver) if (!take(reader, ';')) statement(reader, state)
    } catch (error) {
      if (!(error instanceof CalculationError)) throw error
      fault = error.message
    }
    return { output: [...state.output], isOver: state.isOver, fault }
  }
}

function tokensOf(line: string): readonly string[] {
  const tokens: string[] = []
  const end = line.trimEnd().length
  token.lastIndex = 0
  while (token.lastIndex < end) {
    const from = token.lastIndex
    const [, found] = token.exec(line) ?? []
    if (found === undefined) throw new CalculationError(`illegal character: ${line.slice(from).trim()[0]}`)
    tokens.push(found)
  }
  return tokens
}

const peek = ({ tokens, at }: Reader): string | undefined => tokens[at]

function take(reader: Reader, wanted: string): boolean {
  if (peek(reader) !== wanted) return false
  reader.at += 1
  return true
}

function expect(reader: Reader, wanted: string): void {
  if (!take(reader, wanted)) throw new CalculationError('syntax error')
}

function statement(reader: Reader, state: State): void {
  const first = peek(reader) ?? ''
  if (unsupported.has(first)) throw new CalculationError(`"${first}" is not supported here; use awk`)
  if (take(reader, 'quit') || take(reader, 'halt')) {
    state.isOver = true
    return
  }
  if (take(reader, 'print')) {
    do printPart(reader, state)
    while (take(reader, ','))
  } else if (first.startsWith('"')) {
    reader.at += 1
    state.output.push(first.slice(1, -1))
  } else {
    const isSilent = isAssignment(reader)
    const value = expression(reader, state)
    state.last = value
    if (!isSilent) print(state, value, '\n')
  }
  if (peek(reader) !== undefined) expect(reader, ';')
}

function printPart(reader: Reader, state: State): void {
  const part = peek(reader) ?? ''
  if (part.startsWith('"')) {
    reader.at += 1
    state.output.push(
      part
        .slice(1, -1)
        .replaceAll(String.raw`\n`, '\n')
        .replaceAll(String.raw`\t`, '\t'),
    )
  } else print(state, expression(reader, state), '')
}

function print(state: State, value: Decimal, end: string): void {
  spend(state, 10, value)
  state.output.push({ value, base: state.obase, end })
}

function spend(state: State, times: number, ...values: readonly Decimal[]): void {
  for (const value of values) state.left -= times * costOf(value)
  if (state.left >= 0) return
  state.isOver = true
  throw new CalculationError('the program calculates too much')
}

function operate(operator: string, state: State, [left, right]: readonly [Decimal, Decimal]): Decimal {
  spend(state, 1, left, right)
  const result = operators[operator]!(left, right, state.scale)
  spend(state, operator === '^' ? 10 : 1, result)
  return result
}

const isName = (text: string | undefined): text is string => text !== undefined && /^[a-z]/.test(text)
const isAssigning = (text: string | undefined): boolean => text !== undefined && /^[-+*/%^]?=$/.test(text)
const isAssignment = ({ tokens, at }: Reader): boolean => isName(tokens[at]) && isAssigning(tokens[at + 1])

function expression(reader: Reader, state: State): Decimal {
  reader.depth += 1
  if (reader.depth > maxDepth) throw new CalculationError('the expression is nested too deeply')
  try {
    if (!isAssignment(reader)) return disjunction(reader, state)
    const name = reader.tokens[reader.at]!
    const [operator] = reader.tokens[reader.at + 1]!
    reader.at += 2
    const value = expression(reader, state)
    if (operator === '=') return setVariable(state, name, value)
    return setVariable(state, name, operate(operator!, state, [variable(state, name), value]))
  } finally {
    reader.depth -= 1
  }
}

const truth = (isTrue: boolean): Decimal => decimal(isTrue ? 1n : 0n)
const isTrue = ({ units }: Decimal): boolean => units !== 0n

function disjunction(reader: Reader, state: State): Decimal {
  let value = conjunction(reader, state)
  while (take(reader, '||')) {
    const right = conjunction(reader, state)
    value = truth(isTrue(value) || isTrue(right))
  }
  return value
}

function conjunction(reader: Reader, state: State): Decimal {
  let value = negation(reader, state)
  while (take(reader, '&&')) {
    const right = negation(reader, state)
    value = truth(isTrue(value) && isTrue(right))
  }
  return value
}

function negation(reader: Reader, state: State): Decimal {
  let isNegated = false
  let isAsked = false
  while (take(reader, '!')) [isNegated, isAsked] = [!isNegated, true]
  const value = relation(reader, state)
  return isAsked ? truth(isTrue(value) !== isNegated) : value
}

function relation(reader: Reader, state: State): Decimal {
  const left = sum(reader, state)
  const compared = relations[peek(reader) ?? '']
  if (!compared) return left
  reader.at += 1
  return truth(compared(compare(left, sum(reader, state))))
}

const chain =
  (signs: string, next: (reader: Reader, state: State) => Decimal) =>
  (reader: Reader, state: State): Decimal => {
    let value = next(reader, state)
    for (
      let sign = peek(reader);
      sign !== undefined && sign.length === 1 && signs.includes(sign);
      sign = peek(reader)
    ) {
      reader.at += 1
      value = operate(sign, state, [value, next(reader, state)])
    }
    return value
  }

function raised(reader: Reader, state: State): Decimal {
  const base = signed(reader, state)
  if (!take(reader, '^')) return base
  reader.depth += 1
  if (reader.depth > maxDepth) throw new CalculationError('the expression is nested too deeply')
  const exponent = raised(reader, state)
  reader.depth -= 1
  return operate('^', state, [base, exponent])
}

const product = chain('*/%', raised)
const sum = chain('+-', product)

/** The sign belongs to the number: -2^2 is 4. */
function signed(reader: Reader, state: State): Decimal {
  let isNegative = false
  while (take(reader, '-')) isNegative = !isNegative
  const value = atom(reader, state)
  return isNegative ? negate(value) : value
}

function atom(reader: Reader, state: State): Decimal {
  const first = peek(reader)
  reader.at += 1
  if (first === undefined) throw new CalculationError('syntax error: the expression is not complete')
  if (first === '(') {
    const value = expression(reader, state)
    expect(reader, ')')
    return value
  }
  if (first === '++' || first === '--') {
    const name = peek(reader)
    if (!isName(name)) throw new CalculationError('syntax error')
    reader.at += 1
    return setVariable(state, name, add(variable(state, name), decimal(first === '++' ? 1n : -1n)))
  }
  if (/^[0-9A-F.]/.test(first)) return numberOf(first, state.ibase)
  if (!isName(first)) throw new CalculationError('syntax error')
  if (take(reader, '(')) return called(first, reader, state)
  const value = variable(state, first)
  const step = peek(reader)
  if (step !== '++' && step !== '--') return value
  reader.at += 1
  setVariable(state, first, add(value, decimal(step === '++' ? 1n : -1n)))
  return value
}

function called(name: string, reader: Reader, state: State): Decimal {
  const value = expression(reader, state)
  expect(reader, ')')
  if (name === 'sqrt') {
    const root = squareRoot(value, state.scale)
    spend(state, 40, value, root)
    return root
  }
  if (name === 'scale') return decimal(BigInt(value.scale))
  spend(state, 10, value)
  if (name === 'length') return decimal(BigInt(value.units.toString().replace('-', '').length))
  throw new CalculationError(
    `there is no function "${name}" here: sqrt, scale and length are; use awk for sin, cos, log and exp`,
  )
}

function numberOf(text: string, base: number): Decimal {
  const [whole = '', rest = ''] = text.split('.')
  if (base === 10 && /^\d*$/.test(whole + rest)) return decimal(BigInt(`0${whole}${rest}`), rest.length)
  if (whole.length > maxDigits) throw new CalculationError(`a number may have at most ${maxDigits} digits`)
  if (rest !== '') throw new CalculationError('fractions are read with ibase=10 only')
  return decimal([...whole].reduce((sum, digit) => sum * BigInt(base) + BigInt(Number.parseInt(digit, 16)), 0n))
}

const special = new Set(['scale', 'ibase', 'obase'])

function variable(state: State, name: string): Decimal {
  if (name === 'last') return state.last
  if (special.has(name)) return decimal(BigInt(state[name as 'scale']))
  return state.variables.get(name) ?? zero
}

function setVariable(state: State, name: string, value: Decimal): Decimal {
  if (!special.has(name)) {
    state.variables.set(name, value)
    return value
  }
  const [least, most] = name === 'scale' ? [0, maxScale] : [2, 16]
  const whole = Number(atScale(value, 0).units)
  if (whole < least || whole > most) throw new CalculationError(`${name} must be from ${least} to ${most}`)
  state[name as 'scale'] = whole
  return value
}
