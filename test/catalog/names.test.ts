import { describe, expect, it } from 'vitest'
import { toolRegistry } from '../../src/catalog/tool-registry.ts'
import { tool } from '../../src/tool/define.ts'

const named = (name: string) => tool({ name, description: `Is ${name}.`, execute: () => name })

describe('toolRegistry()', () => {
  it('numbers safe names that collide, whichever comes first', async () => {
    for (const names of [
      ['fs.ls', 'fs_ls'],
      ['fs_ls', 'fs.ls'],
    ]) {
      const registry = toolRegistry().register(names.map(named))
      expect(registry.definitions().map(({ name }) => name)).toEqual(['fs_ls', 'fs_ls_2'])
      expect(registry.list()).toEqual(names)
    }
  })

  it('gives the same definitions until a tool is added or removed', () => {
    const registry = toolRegistry().register(named('one'))
    const before = registry.definitions()
    expect(registry.definitions()).toBe(before)
    registry.register(named('two'))
    expect(registry.definitions()).toHaveLength(2)
    expect([registry.unregister('one'), registry.unregister('one')]).toEqual([true, false])
    expect(registry.definitions().map(({ name }) => name)).toEqual(['two'])
  })

  it('refuses a name that is taken unless it is overridden', async () => {
    const registry = toolRegistry().register(named('one'))
    expect(() => registry.register(named('one'))).toThrow('the name is taken')
    registry.register({ ...named('one'), execute: () => 'new' }, { override: true })
    expect(await registry.call('one')).toEqual({ result: 'new' })
  })
})
