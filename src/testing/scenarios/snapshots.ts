// Guarantees about snapshots: single use, signatures, other runtimes, changed tools.
import type { Snapshot } from '../../run/snapshot.ts'
import { signed } from '../../journal/signed.ts'
import type { Lease } from '../../tool/run-store.ts'
import { memoryStore } from '../../journal/memory-store.ts'
import { runStore } from '../../journal/run-store.ts'
import { jsonSchema } from '../../schema/check.ts'
import type { Scenario } from '../kit.ts'
import { amount, cast, echo, lastResults, pay, play, resumed, stored } from './cast.ts'

/** A snapshot as an earlier run left it; a change of its shape must still read this one, or raise its version. */
const writtenDown =
  '{"version":1,"driver":"agent","run":"run_1","seq":9,"status":"suspended","stop":"approval","retryabl' +
  'e":false,"pending":[{"wants":"decision","why":"tool","callId":"call_1","name":"pay","input":{"amount' +
  '":5},"effect":"unsafe"}],"usage":{},"elapsedMs":0,"grants":{"allowed":[],"denied":[]},"singleUse":"p' +
  'rocess","body":{"step":1,"messages":[{"role":"user","content":[{"type":"text","text":"go"}]},{"role"' +
  ':"assistant","content":[{"type":"tool-call","callId":"call_1","name":"pay","input":{"amount":5}}]},{' +
  '"role":"tool","content":[{"type":"tool-result","callId":"call_1","name":"pay","ok":false,"reason":"p' +
  'ending","content":[{"type":"text","text":"Waiting for a person"}]}]}],"toolCalls":{"pay":1},"repeats' +
  '":[{"name":"pay","input":{"amount":5},"content":[{"type":"text","text":"Waiting for a person"}],"cou' +
  'nt":1}],"stopNext":null,"repaired":false,"tools":{"pay":"54976cf"}}}'

export const snapshotScenarios: readonly Scenario[] = [
  {
    name: 'a snapshot is used once, and a refused resume does not use it up',
    run: async (kit) => {
      const actors = cast(kit, [{ calls: [amount(5)] }, 'done'], { tools: [pay(kit)] })
      const { result } = await play(kit, actors)
      kit.equal(result.snapshot.singleUse, 'process')
      const snapshot = stored(result.snapshot)
      await kit.throws(
        () => actors.assistant.resume(snapshot, [{ callId: 'forged', decision: 'approve' }]),
        'run-unknown-call',
      )
      await kit.throws(
        () => actors.assistant.resume(snapshot, [{ callId: 'call_1', decision: 'edit', input: { amount: 'much' } }]),
        'run-invalid-decision',
      )
      await resumed(kit, actors, snapshot, [{ callId: 'call_1', decision: 'approve' }])
      await kit.throws(
        () => actors.assistant.resume(snapshot, [{ callId: 'call_1', decision: 'approve' }]),
        'run-snapshot-used',
      )
    },
  },
  {
    name: 'with a store single use holds between agents',
    run: async (kit) => {
      const env = { store: memoryStore() }
      const one = cast(kit, [{ calls: [amount(5)] }, 'done'], { tools: [pay(kit)], env })
      const other = cast(kit, ['done too'], { tools: [pay(kit)], env })
      const { result } = await play(kit, one)
      kit.equal(result.snapshot.singleUse, 'store')
      const snapshot = stored(result.snapshot)
      const tries = await Promise.all(
        [one, other].map((actors) =>
          actors.assistant.resume(snapshot, [{ callId: 'call_1', decision: 'approve' }]).then(
            (run) => run.result.then(({ status }) => status),
            (error: { code: string }) => error.code,
          ),
        ),
      )
      kit.equal([...tries].sort(), ['done', 'run-snapshot-used'])
    },
  },
  {
    name: 'a store that fails does not use the snapshot up',
    run: async (kit) => {
      const store = memoryStore()
      let isDown = false
      const lease = async (run: string): Promise<Lease> => {
        if (isDown) throw new Error('The store is away')
        return store.lease(run)
      }
      const actors = cast(kit, [{ calls: [amount(5)] }, 'done'], {
        tools: [pay(kit)],
        env: { store: runStore({ ...store, lease }) },
      })
      const { result } = await play(kit, actors)
      const decisions = [{ callId: 'call_1', decision: 'approve' } as const]
      isDown = true
      const refused = await actors.assistant.resume(result.snapshot, decisions).catch((thrown: Error) => thrown.message)
      kit.equal(refused, 'Cannot write the log of run "run_1"')
      isDown = false
      kit.equal((await resumed(kit, actors, result.snapshot, decisions)).status, 'done')
    },
  },
  {
    name: 'a snapshot written down in another runtime on another day resumes',
    run: async (kit) => {
      const actors = cast(kit, ['all paid'], { tools: [pay(kit)] })
      const after = await resumed(kit, actors, JSON.parse(writtenDown) as Snapshot, [
        { callId: 'call_1', decision: 'approve' },
      ])
      kit.equal([after.status, after.text, after.steps], ['done', 'all paid', 2])
      kit.equal(lastResults(after.messages)[0]?.text, 'paid 5')
    },
  },
  {
    name: 'an unsigned, changed or foreign snapshot is refused where snapshots are signed, and an import is asked again',
    run: async (kit) => {
      const options = { tools: [pay(kit)], snapshots: signed('a secret of enough length', kit.host) }
      const actors = cast(kit, [{ calls: [amount(5)] }, 'done'], options)
      const { result } = await play(kit, actors)
      const snapshot = stored(result.snapshot)
      const { signature: _, ...bare } = snapshot
      const changed = stored(snapshot) as { grants: { allowed: string[] } } & Snapshot
      changed.grants.allowed.push('pay\n{"amount":5}')
      const approve = [{ callId: 'call_1', decision: 'approve' } as const]
      await kit.throws(() => actors.assistant.resume(bare, approve), 'run-unsigned-snapshot')
      await kit.throws(() => actors.assistant.resume(changed, approve), 'run-unsigned-snapshot')
      const imported = await resumed(kit, actors, changed, approve, { trust: 'import' })
      kit.equal([imported.status, imported.pending.length], ['suspended', 1])
      const done = await resumed(kit, actors, stored(imported.snapshot), approve)
      kit.equal(done.status, 'done')
    },
  },
  {
    name: 'a tool whose schema changed refuses an open call, and is only a warning otherwise',
    run: async (kit) => {
      const first = cast(kit, [{ calls: [amount(5)] }], { tools: [pay(kit), echo] })
      const { result } = await play(kit, first)
      const other = pay(kit, {
        input: jsonSchema<{ amount: string }>({ type: 'object', properties: { amount: { type: 'string' } } }),
      })
      const changed = cast(kit, ['x'], { tools: [other, echo] })
      await kit.throws(() => changed.assistant.resume(stored(result.snapshot), []), 'run-tool-changed')
      const less = cast(kit, ['went on'], { tools: [pay(kit)] })
      const run = await less.assistant.resume(stored(result.snapshot), [{ callId: 'call_1', decision: 'approve' }])
      const events = await kit.trace(run)
      kit.check(
        events.some((event) => event.type === 'warning' && event.code === 'tool-changed'),
        'a warning for the missing tool',
      )
      kit.equal(await run.text, 'went on')
    },
  },
  {
    name: 'broken snapshots are refused with a reason',
    run: async (kit) => {
      const actors = cast(kit, [{ calls: [amount(5)] }], { tools: [pay(kit)] })
      const { snapshot } = (await play(kit, actors)).result
      const broken: readonly unknown[] = [
        null,
        'text',
        {},
        { ...snapshot, version: 2 },
        { ...snapshot, driver: 'plan' },
        { ...snapshot, body: null },
        { ...snapshot, pending: [null] },
        { ...snapshot, grants: {} },
        {
          ...snapshot,
          body: { ...(snapshot.body as object), messages: [{ role: 'tool', content: [] }, { role: 'boss' }] },
        },
      ]
      for (const one of broken)
        await kit.throws(
          () => actors.assistant.resume(one as Snapshot),
          one !== null &&
            typeof one === 'object' &&
            'body' in one &&
            one.body !== null &&
            JSON.stringify(one).includes('boss')
            ? 'run-invalid-input'
            : 'run-invalid-snapshot',
        )
    },
  },
  {
    name: 'a policy is applied again on resume',
    run: async (kit) => {
      const { result } = await play(kit, cast(kit, [{ calls: [amount(5)] }], { tools: [pay(kit)] }))
      const rules = [() => ({ action: 'deny', reason: 'payments are closed' }) as const]
      const closed = cast(kit, ['ok'], { tools: [pay(kit)], middleware: [{ name: 'closed', rules }] })
      const after = await resumed(kit, closed, stored(result.snapshot), [{ callId: 'call_1', decision: 'approve' }])
      kit.equal(lastResults(after.messages)[0]?.reason, 'denied')
    },
  },
]
