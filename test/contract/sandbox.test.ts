import { afterAll, beforeAll, describe } from 'vitest'
import { nodeWorker } from '../../adapters/node/worker.ts'
import { inThread } from '../../src/confined/in-thread.ts'
import { inWorker } from '../../src/isolated/in-worker.ts'
import { sandboxContract } from '../../src/testing/contract/sandbox.ts'
import type { SandboxPrograms } from '../../src/testing/contract/sandbox.ts'
import type { Sandbox } from '../../src/sandbox/sandbox.ts'
import { bundle } from '../confined/bundle.ts'
import type { Bundle } from '../confined/bundle.ts'
import { toy, toyFacts } from '../confined/toy.ts'
import { toyPrograms } from '../confined/toy-programs.ts'
import { holds } from '../contract-tests.ts'

const keeps = (make: () => Sandbox, programs: SandboxPrograms): void =>
  holds(sandboxContract(async () => make(), programs))

describe('the sandbox contract', () => {
  describe('a toy in this thread', () => {
    const endless = { lacking: 'nothing ends what computes in this thread' }
    keeps(() => inThread({ ...toyFacts, load: async () => toy() }), {
      ...toyPrograms,
      loop: endless,
      allocate: endless,
    })
  })

  describe('a toy in a Worker of Node', () => {
    let script: Bundle
    beforeAll(async () => {
      script = await bundle(['toy-worker.ts'])
    })
    afterAll(() => script.remove())
    const start = () => nodeWorker(script.url('toy-worker.mjs'), { memoryMb: 64 })
    keeps(() => inWorker({ ...toyFacts, start }), toyPrograms)
  })
})
