// Random sequences of operations: a file system gives what memory gives, and ends with the same tree.
import { memoryFiles } from '../../vfs/memory.ts'
import type { Vfs } from '../../vfs/vfs.ts'
import { equal } from '../assertion.ts'
import { answerOf, fileOperation, treeOf } from '../random/files.ts'
import { seeded } from '../random/prng.ts'
import type { ContractCase } from './case.ts'

export interface SequenceOptions {
  /** How many sequences. Default 10. */
  readonly seeds?: number | undefined
  /** Operations in each. Default 40. */
  readonly length?: number | undefined
}

/** `make` gives a new, empty, writable file system for each sequence. */
export function vfsSequences(
  make: () => Promise<Vfs>,
  { seeds = 10, length = 40 }: SequenceOptions = {},
): readonly ContractCase[] {
  return Array.from({ length: seeds }, (_, seed) => ({
    name: `random operations (seed ${seed}) come to the same as in memory`,
    skipped: undefined,
    run: async () => {
      const vfs = await make()
      try {
        await sameAsMemory(vfs, seed, length)
      } finally {
        await vfs.dispose?.()
      }
    },
  }))
}

async function sameAsMemory(vfs: Vfs, seed: number, length: number): Promise<void> {
  const random = seeded(seed)
  const memory = memoryFiles()
  const done: string[] = []
  for (let step = 0; step < length; step++) {
    const operation = fileOperation(random)
    done.push(operation.words)
    const wanted = await answerOf(operation, memory)
    equal(await answerOf(operation, vfs), wanted, `after ${done.join('; ')}: the answer`)
  }
  equal(await treeOf(vfs), await treeOf(memory), `after ${done.join('; ')}: the tree`)
}
