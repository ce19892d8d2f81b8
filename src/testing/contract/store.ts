// What every run store must do, as plain functions: an adapter runs them in its own runtime, under any test runner.
import { isSameloopError } from '../../error/error.ts'
import type { RunRecord, RunStorage } from '../../tool/run-store.ts'
import { check, equal } from '../assertion.ts'
import type { ContractCase } from './case.ts'

/** A store for one case, and the same records seen anew, as after a restart: absent where they end with the object. */
export interface StoreUnderTest {
  readonly store: RunStorage
  readonly reopen?: (() => Promise<RunStorage>) | undefined
  dispose?(): Promise<void>
}

/** What a store may do without. */
export type StoreAbility = 'files' | 'reopen'

/**
 * The contract of the run-store port. `make` gives a new, empty store for each case. Cases about what it `lacks` are
 * skipped; what is declared and what the store has must be the same.
 */
export function storeContract(
  make: () => Promise<StoreUnderTest>,
  lacks: readonly StoreAbility[] = [],
): readonly ContractCase[] {
  const isDeclared: Case = {
    name: 'the store has what it is not declared to lack',
    check: async ({ files }, { reopen }) => {
      equal([lacks.includes('files'), lacks.includes('reopen')], [!files, !reopen], 'what is missing')
    },
  }
  return [isDeclared, ...cases].map(({ name, check: run, needs }) => ({
    name,
    skipped: needs !== undefined && lacks.includes(needs) ? `there is no "${needs}"` : undefined,
    run: async () => {
      const made = await make()
      try {
        await run(made.store, made)
      } finally {
        await made.dispose?.()
      }
    },
  }))
}

interface Case {
  readonly name: string
  readonly needs?: StoreAbility
  check(store: RunStorage, under: StoreUnderTest): Promise<void>
}

const record = (seq: number, data: unknown = { seq }): RunRecord => ({
  seq,
  type: `type-${seq}`,
  data: JSON.stringify(data),
})

const rows = (from: number, to: number): readonly RunRecord[] =>
  Array.from({ length: to - from + 1 }, (_, index) => record(from + index))

async function all(store: RunStorage, run: string, after = 0): Promise<readonly RunRecord[]> {
  const found: RunRecord[] = []
  for await (const one of store.read(run, after)) found.push(one)
  return found
}

async function conflicts(work: Promise<unknown>, what: string): Promise<void> {
  const thrown = await work.then(
    () => undefined,
    (error: unknown) => error,
  )
  check(isSameloopError(thrown, 'journal-conflict'), `${what}: wanted journal-conflict, got ${String(thrown)}`)
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

const cases: readonly Case[] = [
  {
    name: 'gives back what was appended, in order, from after any record',
    check: async (store) => {
      const { epoch, lastSeq } = await store.lease('a')
      equal(lastSeq, 0, 'the last record of a new run')
      await store.append('a', rows(1, 3), { expectSeq: 0, epoch })
      await store.append('a', rows(4, 5), { expectSeq: 3, epoch })
      equal(await all(store, 'a'), rows(1, 5))
      equal(await all(store, 'a', 3), rows(4, 5))
      equal(await all(store, 'a', 5), [])
      equal(await all(store, 'nobody'), [])
      equal([await store.last('a'), await store.last('nobody')], [record(5), undefined])
    },
  },
  {
    name: 'keeps texts of any length and any letter, and types',
    check: async (store) => {
      const { epoch } = await store.lease('ünï/code 🙂')
      const long = { text: 'é🙂\u0000\u2028'.repeat(300_000) }
      const odd = [
        { seq: 1, type: 'journal-open', data: JSON.stringify(long) },
        { seq: 2, type: '', data: 'null' },
      ]
      await store.append('ünï/code 🙂', odd, { expectSeq: 0, epoch })
      equal(JSON.stringify(await all(store, 'ünï/code 🙂')) === JSON.stringify(odd), true, 'whether it is the same')
    },
  },
  {
    name: 'appends all records or none, and refuses gaps, repeats and what it did not expect',
    check: async (store) => {
      const { epoch } = await store.lease('a')
      await store.append('a', rows(1, 2), { expectSeq: 0, epoch })
      await conflicts(store.append('a', rows(3, 4), { expectSeq: 1, epoch }), 'an old expectation')
      await conflicts(store.append('a', rows(4, 4), { expectSeq: 3, epoch }), 'an expectation of the future')
      await conflicts(store.append('a', [record(3), record(5)], { expectSeq: 2, epoch }), 'a gap')
      await conflicts(store.append('a', [record(3), record(3)], { expectSeq: 2, epoch }), 'a repeat')
      equal(await all(store, 'a'), rows(1, 2))
      await store.append('a', [], { expectSeq: 2, epoch })
      await store.append('a', rows(3, 3), { expectSeq: 2, epoch })
      equal((await all(store, 'a')).length, 3)
    },
  },
  {
    name: 'lets only the last who leased a run write, and says where it ends',
    check: async (store) => {
      const first = await store.lease('a')
      await store.append('a', rows(1, 2), { expectSeq: 0, epoch: first.epoch })
      const second = await store.lease('a')
      check(second.epoch > first.epoch, 'a later lease has a higher epoch')
      equal(second.lastSeq, 2)
      await conflicts(store.append('a', rows(3, 3), { expectSeq: 2, epoch: first.epoch }), 'an old lease')
      await conflicts(store.append('a', rows(3, 3), { expectSeq: 2, epoch: second.epoch + 1 }), 'a lease nobody gave')
      await store.append('a', rows(3, 3), { expectSeq: 2, epoch: second.epoch })
      equal((await store.lease('a')).lastSeq, 3)
    },
  },
  {
    name: 'gives two who lease at once two epochs, and one of them writes',
    check: async (store) => {
      const leases = await Promise.all([1, 2, 3].map(() => store.lease('a')))
      equal(new Set(leases.map(({ epoch }) => epoch)).size, 3)
      const written = await Promise.allSettled(
        leases.map(({ epoch }) => store.append('a', rows(1, 1), { expectSeq: 0, epoch })),
      )
      equal(written.filter(({ status }) => status === 'fulfilled').length, 1)
      equal(await all(store, 'a'), rows(1, 1))
    },
  },
  {
    name: 'keeps runs apart, lists those with records, and forgets one that is deleted',
    check: async (store) => {
      for (const run of ['a', 'b', 'only leased']) {
        const { epoch } = await store.lease(run)
        if (run !== 'only leased') await store.append(run, rows(1, run === 'a' ? 1 : 2), { expectSeq: 0, epoch })
      }
      const listed = new Map((await store.list()).map(({ run, lastSeq }) => [run, lastSeq]))
      equal([listed.size, listed.get('a'), listed.get('b')], [2, 1, 2])
      await store.delete('a')
      await store.delete('nobody')
      equal(
        [...(await store.list())].map(({ run }) => run),
        ['b'],
      )
      equal(await all(store, 'a'), [])
      equal((await store.lease('a')).lastSeq, 0)
    },
  },
  {
    name: 'lets nobody who wrote a run before it was deleted write to a new one of that name',
    check: async (store) => {
      const { epoch } = await store.lease('a')
      await store.append('a', rows(1, 1), { expectSeq: 0, epoch })
      await store.delete('a')
      await conflicts(store.append('a', rows(2, 2), { expectSeq: 1, epoch }), 'a run that was deleted')
      const { epoch: later } = await store.lease('a')
      await conflicts(store.append('a', rows(1, 1), { expectSeq: 0, epoch }), 'a new run of its name')
      await store.append('a', rows(1, 1), { expectSeq: 0, epoch: later })
      equal(await all(store, 'a'), rows(1, 1))
    },
  },
  {
    name: 'reads what was there when the reading began, whatever is appended meanwhile',
    check: async (store) => {
      const { epoch } = await store.lease('a')
      await store.append('a', rows(1, 3), { expectSeq: 0, epoch })
      let last = 3
      const seen: number[] = []
      for await (const { seq } of store.read('a', 0)) {
        seen.push(seq)
        await store.append('a', rows(last + 1, last + 1), { expectSeq: last, epoch })
        last++
      }
      equal(seen, [1, 2, 3])
    },
  },
  {
    name: 'takes a time to wake for, and lets go of it, and its log is none the worse',
    check: async (store) => {
      const { epoch } = await store.lease('a')
      await store.timer('a', 1_900_000_000_000)
      await store.append('a', rows(1, 1), { expectSeq: 0, epoch })
      await store.timer('a', undefined)
      await store.timer('nobody', undefined)
      equal([await all(store, 'a'), await all(store, 'nobody')], [rows(1, 1), []])
    },
  },
  {
    name: 'changes its files together with the records',
    needs: 'files',
    check: async (store) => {
      const files = store.files!
      const { epoch } = await store.lease('a')
      await files.write('/old/file', encode('old'), { parents: true })
      await store.append('a', rows(1, 1), {
        expectSeq: 0,
        epoch,
        files: [
          { type: 'add', path: '/new/dir' },
          { type: 'modify', path: '/new/file', data: encode('new') },
          { type: 'delete', path: '/old' },
        ],
      })
      equal(new TextDecoder().decode(await files.read('/new/file')), 'new')
      equal((await files.stat('/new/dir'))?.type, 'dir')
      equal(await files.stat('/old/file'), undefined)
    },
  },
  {
    name: 'changes neither files nor records where one of them cannot be changed',
    needs: 'files',
    check: async (store) => {
      const files = store.files!
      const { epoch } = await store.lease('a')
      await files.write('/kept', encode('kept'))
      const changes = [
        { type: 'modify', path: '/kept', data: encode('changed') },
        { type: 'modify', path: '/kept/inside', data: encode('x') },
      ] as const
      const written = await store.append('a', rows(1, 1), { expectSeq: 0, epoch, files: changes }).then(
        () => 'written',
        () => 'refused',
      )
      equal(written, 'refused')
      equal(new TextDecoder().decode(await files.read('/kept')), 'kept')
      equal(await all(store, 'a'), [])
      await store.lease('a')
      const fenced = [{ type: 'modify', path: '/kept', data: encode('changed') }] as const
      await conflicts(store.append('a', rows(1, 1), { expectSeq: 0, epoch, files: fenced }), 'an old lease')
      equal(new TextDecoder().decode(await files.read('/kept')), 'kept')
    },
  },
  {
    name: 'has everything after a restart, and the leases of before do not write any more',
    needs: 'reopen',
    check: async (store, { reopen }) => {
      const { epoch } = await store.lease('a')
      await store.append('a', rows(1, 2), { expectSeq: 0, epoch })
      const again = await reopen!()
      equal(await all(again, 'a'), rows(1, 2))
      const lease = await again.lease('a')
      check(lease.epoch > epoch && lease.lastSeq === 2, 'the lease after a restart goes on')
      await conflicts(again.append('a', rows(3, 3), { expectSeq: 2, epoch }), 'a lease of before')
    },
  },
]
