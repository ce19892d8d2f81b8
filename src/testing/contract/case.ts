// What a port's contract is made of.

/** One promise of a port. `run` rejects, in words, where it is broken. */
export interface ContractCase {
  readonly name: string
  /** Why there is nothing to run here: what the adapter was declared to lack. */
  readonly skipped: string | undefined
  run(): Promise<void>
}
