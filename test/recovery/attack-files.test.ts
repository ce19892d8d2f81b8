// Tools that change files together with the log.
import { describe, expect, it } from 'vitest'
import { agent } from '../../src/agent/agent.ts'
import { webHost } from '../../src/host/web-host.ts'
import { memoryStore } from '../../src/journal/memory-store.ts'
import { memoryFiles } from '../../src/vfs/memory.ts'
import { made, results } from '../agent/rig.ts'
import { saying, call } from './rig.ts'

describe('local tools', () => {
  it('local tools side by side on one file lose no change', async () => {
    const files = memoryFiles()
    const store = memoryStore({ files })
    const add = (name: string) =>
      made(
        name,
        async (_, { fs }) => {
          const before = (await fs.stat('/l')) ? new TextDecoder().decode(await fs.read('/l')) : ''
          await fs.write('/l', new TextEncoder().encode(before + name))
        },
        { effect: 'local' },
      )
    const result = await agent({
      model: saying([{ calls: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] }, 'done']),
      tools: [add('a'), add('b'), add('c')],
      env: { host: webHost, store, fs: files },
    }).run('go').result
    const oks = results(result.messages).filter(({ ok }) => ok).length
    expect(new TextDecoder().decode(await files.read('/l')).length).toBe(oks)
  })

  it('a local tool two agents deep writes to the files it reads', async () => {
    const files = memoryFiles()
    const own = memoryFiles()
    const store = memoryStore({ files })
    const write = made('write', async (_, { fs }) => void (await fs.write('/w', new Uint8Array(1))), {
      effect: 'local',
    })
    const inner = agent({ model: saying([call('write'), 'x']), tools: [write] }).asTool({
      name: 'inner',
      description: 'x',
    })
    const middle = agent({
      model: saying([call('inner', { task: 'x' }), 'x']),
      tools: [inner],
      env: { fs: own },
    }).asTool({ name: 'middle', description: 'x' })
    const result = await agent({
      model: saying([call('middle', { task: 'x' }), 'done']),
      tools: [middle],
      env: { host: webHost, store, fs: files },
    }).run('go').result
    expect(result.status).toBe('done')
    expect([await files.stat('/w'), (await own.stat('/w'))?.type]).toEqual([undefined, 'file'])
  })
})
