import { it, expect } from 'vitest'
import { agent, fail, fatal } from '/work/main/src/index.ts'
import { tool } from '/work/main/src/tool/valibot-tool.ts'
import { scriptedModel } from '/work/main/src/model/scripted-model.ts'
import * as v from 'valibot'
it('runs', async () => {
  const add = tool({ name: 'add', description: 'Adds', input: v.object({ a: v.number(), b: v.number() }), output: v.object({ sum: v.number() }), effect: 'read', execute: ({ a, b }) => ({ sum: a + b }) })
  const model = scriptedModel([{ calls: [{ name: 'add', input: { a: '1', b: 2 } }, { name: 'nope' }, { name: 'add', raw: '{"a":' }] }, 'the answer is 3'])
  const a = agent({ model, tools: [add] })
  const run = a.run('hi')
  for await (const e of run) console.log(JSON.stringify(e))
  const r = await run.result
  console.log(JSON.stringify(r, null, 1))
  expect(await run.text).toBe('the answer is 3')
})
it('suspends and resumes', async () => {
  const del = tool({ name: 'del', description: 'Deletes', approval: true, input: v.object({ p: v.string() }), execute: ({ p }) => 'deleted ' + p })
  const model = scriptedModel([{ calls: [{ name: 'del', input: { p: 'x' } }] }, 'done', 'nochmal'])
  const a = agent({ model, tools: [del] })
  const r = await a.run('hi').result
  expect(r.status).toBe('suspended')
  const snap = JSON.parse(JSON.stringify(r.snapshot))
  const again = await a.resume(snap, [{ callId: r.pending[0]!.callId, decision: 'approve' }])
  for await (const e of again) console.log(JSON.stringify(e))
  expect(await again.text).toBe('done')
  await expect(a.resume(snap)).rejects.toThrow('resumed before')
})
