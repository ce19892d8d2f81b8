// Runs the contracts of a runtime's adapters in that runtime and says, as JSON, what each case came to.
import type { ContractCase } from '../../../src/testing/contract/case.ts'

/** One adapter under one contract. */
export interface Suite {
  readonly name: string
  readonly cases: readonly ContractCase[]
}

export interface CaseReport {
  readonly suite: string
  readonly name: string
  /** Why it failed. */
  readonly error?: string | undefined
  /** Why it was not run. */
  readonly skipped?: string | undefined
}

export interface AdapterReport {
  readonly cases: readonly CaseReport[]
  /** Lines to print: figures, what a runtime has not. */
  readonly lines: readonly string[]
}

/** A case that is neither done nor failed after this long hangs. */
const limitMs = 60_000

/** A case of an adapter's own, beside its contract. */
export const contractCase = (name: string, run: () => Promise<void>, skipped?: string): ContractCase => ({
  name,
  skipped,
  run,
})

const described = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  return `${error.name}: ${error.message}\n${error.stack ?? ''}${cause === undefined ? '' : `\ncause: ${String(cause)}`}`
}

async function outcomeOf(suite: string, { name, skipped, run }: ContractCase): Promise<CaseReport> {
  if (skipped !== undefined) return { suite, name, skipped }
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Not finished after ${limitMs} ms`)), limitMs)
  })
  try {
    await Promise.race([run(), late])
    return { suite, name }
  } catch (error) {
    return { suite, name, error: described(error) }
  } finally {
    clearTimeout(timer)
  }
}

type Line = string | (() => string | undefined)

const said: Line[] = []

/** A line to print beside what the cases came to; a function is asked when all of them have run. */
export const say = (line: Line): void => void said.push(line)

/** Runs everything, one case after the other. */
export async function reportOf(suites: readonly Suite[]): Promise<string> {
  const cases: CaseReport[] = []
  for (const suite of suites) for (const one of suite.cases) cases.push(await outcomeOf(suite.name, one))
  const lines = said.flatMap((line) => (typeof line === 'string' ? line : (line() ?? [])))
  return JSON.stringify({ cases, lines } satisfies AdapterReport)
}
