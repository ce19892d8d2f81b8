// Names, aliases and sources that could stand for another tool, or for one that is gone.
import { describe, expect, it } from 'vitest'
import { toolRegistry } from '../../src/catalog/tool-registry.ts'
import type { Tool } from '../../src/tool/tool.ts'
import { calls, made, pause, results, rig, unanswered } from '../agent/rig.ts'

const says = (name: string, what: string = name) => made(name, () => what)

describe('names in a registry', () => {
  it('a tool named by its URI does not take the place of the tool with that URI', () => {
    const registry = toolRegistry().register(says('ls', 'good'))
    expect(() => registry.register(says('x', 'evil'), { name: 'fn://ls' })).toThrow(/taken/)
  })

  it('a source does not take the place of a registered tool', async () => {
    const registry = toolRegistry()
      .register(says('ls', 'good'), { name: 'fs.ls' })
      .addSource({ scheme: 'fn', name: 'fs', list: () => [says('ls', 'evil')] })
    await registry.connect().catch(() => undefined)
    expect(await registry.call('fs.ls')).toEqual({ result: 'good' })
  })

  it('an alias in a fork goes with the tool of the parent', async () => {
    const parent = toolRegistry().register(says('ls'))
    const fork = parent.fork().alias('dir', 'ls')
    parent.unregister('ls')
    await expect(fork.call('dir')).rejects.toMatchObject({ code: 'tool-not-found' })
  })

  it('an alias in a fork follows the tool that takes the place of the parent tool', async () => {
    const parent = toolRegistry().register(says('ls', 'old'))
    const fork = parent.fork().alias('dir', 'ls')
    parent.register(says('ls', 'new'), { override: true })
    expect(await fork.call('dir')).toEqual({ result: 'new' })
  })

  it('an alias of a tool of a source opens the source again after close', async () => {
    let isOpen = false
    const source = {
      scheme: 'rest',
      name: 'shop',
      connect: async () => void (isOpen = true),
      close: async () => void (isOpen = false),
      list: () => [made('get', () => String(isOpen))],
    }
    const registry = toolRegistry().addSource(source)
    await registry.connect()
    registry.alias('get', 'rest://shop.get')
    await registry.close()
    expect(await registry.call('get')).toEqual({ result: 'true' })
    await registry.close()
    expect(await registry.call('rest://shop.get')).toEqual({ result: 'true' })
    expect(await registry.call('get')).toEqual({ result: 'true' })
  })

  it('a name that once was an alias is a name like any other', () => {
    const registry = toolRegistry().register(says('ls')).alias('dir', 'ls')
    registry.unregister('ls')
    registry.register(says('dir'))
    expect(registry.list()).toEqual(['dir'])
  })

  it('the registered name wins over the name that models see of another tool', async () => {
    const registry = toolRegistry().register(says('x', 'dotted'), { name: 'fs.ls' }).register(says('fs_ls', 'plain'))
    expect(await registry.call('fs_ls')).toEqual({ result: 'plain' })
    registry.unregister('fs_ls')
    expect(registry.list()).toEqual(['fs.ls'])
  })

  it('a later tool of the parent is seen although a tool of the fork is shown alike', async () => {
    const parent = toolRegistry()
    const fork = parent.fork().register(says('fs_ls', 'fork'))
    parent.register(says('x', 'parent'), { name: 'fs.ls' })
    expect(await fork.call('fs.ls')).toEqual({ result: 'parent' })
    expect(await fork.call('fs_ls')).toEqual({ result: 'fork' })
    expect(fork.definitions().map(({ name }) => name).length).toBe(2)
  })

  it('a permission by name holds for an alias', async () => {
    const registry = toolRegistry()
      .register(says('rm'))
      .allow(({ name }) => name !== 'rm')
    registry.alias('del', 'rm')
    await expect(registry.call('del')).rejects.toMatchObject({ code: 'tool-denied' })
  })

  it('a limit by name holds for an alias', async () => {
    const registry = toolRegistry()
      .register(made('rm', (_, ctx) => ctx.callId))
      .alias('del', 'rm')
    const { assistant } = rig([calls('rm'), calls('del'), 'done'], { registry, limits: { toolCalls: { rm: 1 } } })
    const { messages } = await assistant.run('x').result
    expect(results(messages).map(({ ok }) => ok)).toEqual([true, false])
  })

  it('every tool has a name that models can say', () => {
    const registry = toolRegistry()
    let refused = false
    try {
      registry.register(says('x'), { name: 'fn://' })
    } catch {
      refused = true
    }
    expect(refused || /^[\w-]{1,64}$/.test(registry.definitions()[0]?.name ?? '')).toBe(true)
  })

  it('prototype names are names', async () => {
    const registry = toolRegistry()
    for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) registry.register(says(name))
    const { assistant } = rig([calls('__proto__', 'constructor', 'toString'), 'done'], {
      registry,
      limits: { toolCalls: { rm: 1 } },
    })
    const result = await assistant.run('x').result
    expect(results(result.messages).map(({ text }) => text)).toEqual(['__proto__', 'constructor', 'toString'])
    const again = rig(['x'], { registry }).assistant
    await expect(again.resume(JSON.parse(JSON.stringify(result.snapshot)), [], { input: 'y' })).resolves.toBeDefined()
  })

  it('a source that is being closed is opened only after that', async () => {
    const log: string[] = []
    const registry = toolRegistry().addSource({
      scheme: 'rest',
      name: 'shop',
      connect: async () => void log.push('connect'),
      close: async () => {
        log.push('close')
        await pause(10)
        log.push('closed')
      },
      list: () => [says('get')],
    })
    await registry.connect()
    const closing = registry.close()
    await pause()
    await registry.call('rest://shop.get')
    await closing
    expect(log).toEqual(['connect', 'close', 'closed', 'connect'])
  })
})

describe('a registry that changes while an agent runs', () => {
  it('a source that goes while its agent runs leaves a valid transcript', async () => {
    let list: Tool[] = [made('one', () => 1), made('two', () => 2)]
    const registry = toolRegistry().addSource({ scheme: 'mcp', name: 's', list: () => list })
    registry.register(
      made('drop', async () => {
        list = [made('two', () => 'new')]
        await registry.close()
      }),
    )
    const { assistant } = rig([calls('s_one', 'drop', 's_two'), calls('s_one', 's_two'), 'done'], { registry })
    const { status, messages } = await assistant.run('x').result
    expect([status, unanswered(messages)]).toEqual(['done', []])
    expect(results(messages).map(({ ok, reason }) => (ok ? 'ok' : reason))).toEqual([
      'ok',
      'ok',
      'ok',
      'not-found',
      'ok',
    ])
  })

  it('a tool switched off while a person thinks does not run', async () => {
    let ran = 0
    const registry = toolRegistry()
      .register(made('rm', () => void ran++, { approval: true }))
      .alias('del', 'rm')
    const { assistant } = rig([calls('del'), 'done'], { registry, approvalWaitMs: Infinity })
    const run = assistant.run('x')
    for await (const event of run) {
      if (event.type !== 'approval-request') continue
      registry.disable('rm')
      run.decide({ callId: event.callId, decision: 'approve' })
    }
    expect(ran).toBe(0)
  })

  it('a tool overridden while a person thinks does not run, by its alias either', async () => {
    let ran = 0
    const registry = toolRegistry()
      .register(made('rm', () => void ran++, { approval: true }))
      .alias('del', 'rm')
    const { assistant } = rig([calls('del', 'rm'), 'done'], { registry, approvalWaitMs: Infinity })
    const run = assistant.run('x')
    for await (const event of run) {
      if (event.type !== 'approval-request') continue
      registry.register(
        made('rm', () => void (ran += 10), { approval: true }),
        { override: true },
      )
      run.decide({ callId: event.callId, decision: 'approve' })
    }
    expect(ran).toBe(0)
  })

  it('an unrelated change while a person thinks does not take the tool away', async () => {
    let ran = 0
    const parent = toolRegistry()
    const registry = parent.fork().register(
      made('x', () => 1),
      { name: 'a_b' },
    )
    parent.register(
      made('y', () => void ran++, { approval: true }),
      { name: 'a.b' },
    )
    const { assistant } = rig([calls('a_b_2'), 'done'], { registry, approvalWaitMs: Infinity })
    const run = assistant.run('x')
    for await (const event of run) {
      if (event.type !== 'approval-request') continue
      parent.register(made('later', () => 1))
      run.decide({ callId: event.callId, decision: 'approve' })
    }
    expect(ran).toBe(1)
  })

  it('counts calls by alias of a fork for the parent too', async () => {
    const parent = toolRegistry().register(made('ls', () => 1))
    const fork = parent.fork().alias('dir', 'ls')
    await fork.call('dir')
    expect([fork.calls('ls'), parent.calls('ls')]).toEqual([1, 1])
  })
})

describe('a registry with odd tools', () => {
  it('refuses a source whose list is no list of tools', async () => {
    for (const list of [
      () => null,
      () => ({}),
      () => [null],
      () => [{ name: '', description: 'x' }],
      () => [made('a', () => 1), made('a', () => 2)],
      () => [made('__proto__', () => 1)],
      () => [made('a'.repeat(500), () => 1)],
    ]) {
      const registry = toolRegistry().addSource({ scheme: 'mcp', name: 's', list: list as never })
      await registry.connect().then(
        () => undefined,
        (error) => expect(error.code).toBe('source-failed'),
      )
      for (const { name } of registry.definitions()) expect(name).toMatch(/^[\w-]{1,64}$/)
    }
  })

  it('keeps a source of a fork apart from one of its parent with the same name', async () => {
    const src = (what: string) => ({ scheme: 'mcp', name: 's', list: () => [made('a', () => what)] })
    const parent = toolRegistry().addSource(src('parent'))
    const fork = parent.fork().addSource(src('fork'))
    await fork.connect().catch(() => undefined)
    expect(await fork.call('mcp://s.a')).toBeDefined()
    expect(await parent.call('mcp://s.a')).toEqual({ result: 'parent' })
  })

  it('lets a tool take the name of an alias with override', async () => {
    const registry = toolRegistry()
      .register(made('ls', () => 'ls'))
      .alias('dir', 'ls')
    registry.register(
      made('dir', () => 'dir'),
      { override: true },
    )
    expect([registry.list(), await registry.call('dir'), await registry.call('ls')]).toEqual([
      ['ls', 'dir'],
      { result: 'dir' },
      { result: 'ls' },
    ])
  })

  it('forgets the aliases of a tool that was unregistered', async () => {
    const registry = toolRegistry()
      .register(made('ls', () => 'ls'))
      .alias('dir', 'ls')
    registry.unregister('ls')
    registry.register(made('ls', () => 'new'))
    await expect(registry.call('dir')).rejects.toMatchObject({ code: 'tool-not-found' })
  })
})
