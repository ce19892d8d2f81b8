// Cases of a contract as tests.
import { it } from 'vitest'
import type { ContractCase } from '../src/testing/contract/case.ts'

/** The name of a test, with why it is left out where it is. */
export const nameOf = ({ name, skipped }: Pick<ContractCase, 'name' | 'skipped'>): string =>
  skipped === undefined ? name : `${name} (left out: ${skipped})`

/** A test for each case; one that is left out says why in its name. `timeout` is in milliseconds, that of the runner by default. */
export function holds(cases: readonly ContractCase[], { timeout }: { readonly timeout?: number } = {}): void {
  for (const one of cases)
    it.skipIf(one.skipped !== undefined)(nameOf(one), { ...(timeout !== undefined && { timeout }) }, one.run)
}
