import { describe, expect, it } from 'vitest'
import { agent } from '../../src/agent/agent.ts'
import { builtinTools } from '../../src/builtin/builtin.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import { memoryFiles } from '../../src/vfs/memory.ts'
import { readText, writeText } from '../../src/vfs/text.ts'

const edit = { name: 'fs_edit', input: { path: 'a', find: 'one', replace: 'two' } }

/** Two agents over the same files; each has tools of its own, as two processes would. */
function pair() {
  const fs = memoryFiles({ files: { '/a': 'one\n' } })
  const env = { fs }
  const make = () => agent({ model: scriptedModel([{ calls: [edit] }, 'done']), env, tools: builtinTools({ env }) })
  const later = () => agent({ model: scriptedModel(['done']), env, tools: builtinTools({ env }) })
  return { fs, first: make(), later: later() }
}

describe('an approved change', () => {
  it('is refused by the run that showed it, suspended or not, when the file is another by then', async () => {
    const { fs, first } = pair()
    const { snapshot, pending } = await first.run('go').result
    expect(pending[0]?.preview?.diff).toContain('-one\n+two')
    await writeText(fs, '/a', 'new\none\n')
    const resumed = await first.resume(snapshot, [{ callId: pending[0]!.callId, decision: 'approve' }])
    const { messages, status } = await resumed.result
    expect(status).toBe('done')
    expect(JSON.stringify(messages)).toContain('it changed after a person was shown what this call does')
    expect(await readText(fs, '/a')).toBe('new\none\n')
  })

  it('is planned anew where the memory of what was shown is gone', async () => {
    const { fs, first, later } = pair()
    const { snapshot, pending } = await first.run('go').result
    await writeText(fs, '/a', 'new\none\n')
    const resumed = await later.resume(snapshot, [{ callId: pending[0]!.callId, decision: 'approve' }])
    expect((await resumed.result).status).toBe('done')
    expect(await readText(fs, '/a')).toBe('new\ntwo\n')
  })
})
