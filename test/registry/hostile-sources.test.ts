// Sources that do what they should not: the registry names the source that failed, and the others work.
import { describe, expect, it } from 'vitest'
import { toolRegistry } from '../../src/catalog/tool-registry.ts'
import type { ToolSource } from '../../src/tool/source.ts'
import type { Tool } from '../../src/tool/tool.ts'
import { kit } from '../../src/testing/kit.ts'
import { webHost } from '../../src/host/web-host.ts'
import { calls, made, results, rig, within } from '../agent/rig.ts'

const source = (name: string, list: ToolSource['list'], more: Partial<ToolSource> = {}): ToolSource => ({
  scheme: 'mcp',
  name,
  list,
  ...more,
})
const good = source('good', () => [made('log', () => 'good')])
const never = (): Promise<never> => new Promise(() => {})
const coded = (code: string): unknown => expect.objectContaining({ code })

describe('a source', () => {
  it.each<[string, Partial<ToolSource>]>([
    ['whose list never comes', { list: never }],
    ['that never connects', { connect: never }],
  ])('%s is given up after its time, and the others work', async (_, more) => {
    const { host, clock } = kit(webHost)
    const registry = toolRegistry({ env: { host } })
      .addSource(source('slow', () => [], more))
      .addSource(good)
    await expect(within(registry.connect())).rejects.toMatchObject({
      code: 'source-failed',
      message: expect.stringContaining('mcp://slow'),
      retryable: true,
    })
    expect(registry.list()).toEqual(['mcp://good.log'])
    expect(await registry.call('mcp://good.log')).toEqual({ result: 'good' })
    expect(await within(registry.invoke('mcp://slow.log'))).toMatchObject({ ok: false, reason: 'failed' })
    expect(await within(registry.close())).toBeUndefined()
    clock.stop()
  })

  it('whose list comes after it was given up adds nothing', async () => {
    const { host, clock } = kit(webHost)
    let give: (tools: readonly Tool[]) => void = () => {}
    const list = (): Promise<readonly Tool[]> => new Promise((resolve) => (give = resolve))
    const registry = toolRegistry({ env: { host } }).addSource(source('slow', list))
    await expect(within(registry.connect())).rejects.toEqual(coded('source-failed'))
    give([made('late', () => 1)])
    await clock.settle()
    expect(registry.list()).toEqual([])
    clock.stop()
  })

  it('that never closes does not keep the others open', async () => {
    const { host, clock } = kit(webHost)
    let closed = 0
    const registry = toolRegistry({ env: { host } })
      .addSource({ ...good, close: async () => void closed++ })
      .addSource(source('stuck', () => [], { close: never }))
    await registry.connect()
    await expect(within(registry.close())).rejects.toMatchObject({ message: expect.stringContaining('mcp://stuck') })
    expect(closed).toBe(1)
    clock.stop()
  })

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new TypeError('the words of an engine')
      },
    ],
    ['rejects', () => Promise.reject(new Error('secret of the server'))],
    ['gives nothing', () => undefined],
    ['gives a number', () => 5],
    ['gives a tool of nothing', () => [null]],
    ['gives a tool without a name', () => [{ description: 'x' }]],
    ['gives a tool without a description', () => [{ name: 'x' }]],
    ['gives the same name twice', () => [made('log', () => 1), made('log', () => 2)]],
    [
      'gives a name that throws',
      () => [Object.defineProperty({}, 'name', { get: () => Reflect.apply(null as never, null, []) })],
    ],
  ])('whose list %s fails with its name, and leaves nothing behind', async (_, list) => {
    const registry = toolRegistry()
      .addSource(source('bad', list as never))
      .addSource(good)
    const failure = await registry.connect().catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'source-failed', message: expect.stringContaining('mcp://bad') })
    expect((failure as Error).message).not.toMatch(/engine|secret/)
    expect(registry.list()).toEqual(['mcp://good.log'])
    const { assistant } = rig([calls('good_log'), 'done'], { registry })
    expect(await assistant.run('go').result).toMatchObject({ status: 'failed', error: { code: 'source-failed' } })
  })

  it('that brings a name which somebody registered by hand fails, and takes nothing of theirs away', async () => {
    const registry = toolRegistry()
      .register(
        made('x', () => 'by hand'),
        { name: 'mcp://git.log' },
      )
      .addSource(source('git', () => [made('show', () => 1), made('log', () => 'theirs')]))
    await expect(registry.connect()).rejects.toEqual(coded('source-failed'))
    expect(registry.list()).toEqual(['mcp://git.log'])
    expect(await registry.call('mcp://git.log')).toEqual({ result: 'by hand' })
  })

  it('whose names change while they are read leaves nothing behind', async () => {
    let reads = 0
    const tool = { description: 'x', execute: () => 1 }
    Object.defineProperty(tool, 'name', { get: () => `name_${reads++}` })
    const registry = toolRegistry().addSource(source('odd', () => [tool as never]))
    await registry.connect()
    expect(registry.list()).toHaveLength(1)
    await registry.close()
    expect(registry.list()).toEqual([])
  })

  it('whose list changes is asked anew when it is opened again, and at no other time', async () => {
    const tools = [made('one', () => 1)]
    const registry = toolRegistry().addSource(source('git', () => tools))
    await registry.connect()
    tools.push(made('two', () => 2))
    await registry.connect()
    expect(registry.list()).toEqual(['mcp://git.one'])
    await registry.close()
    tools.shift()
    await registry.connect()
    expect(registry.list()).toEqual(['mcp://git.two'])
    await expect(registry.call('mcp://git.one')).rejects.toEqual(coded('tool-not-found'))
  })

  it('of 5,000 tools is taken whole, each callable under its name', async () => {
    const tools = Array.from({ length: 5000 }, (_, n) => made(`tool.${n}`, () => n))
    const registry = toolRegistry().addSource(source('big', () => tools))
    await registry.connect()
    expect(registry.definitions()).toHaveLength(5000)
    expect(new Set(registry.definitions().map(({ name }) => name)).size).toBe(5000)
    expect(await registry.call('mcp://big.tool.4999')).toEqual({ result: 4999 })
    const { assistant } = rig([calls('big_tool_77'), 'done'], { registry })
    expect(results((await assistant.run('go').result).messages)).toMatchObject([{ ok: true, text: '77' }])
    await registry.close()
    expect(registry.list()).toEqual([])
  }, 60_000)

  it('with the tools of another scheme under the same name stays itself', async () => {
    const registry = toolRegistry()
      .addSource(source('shop', () => [made('get', () => 'mcp')]))
      .addSource({ ...source('shop', () => [made('get', () => 'rest')]), scheme: 'rest' })
      .register(
        made('get', () => 'own'),
        { name: 'shop.get' },
      )
    await registry.connect()
    const names = registry.definitions().map(({ name }) => name)
    expect(new Set(names).size).toBe(3)
    expect(await registry.call('mcp://shop.get')).toEqual({ result: 'mcp' })
    expect(await registry.call('rest://shop.get')).toEqual({ result: 'rest' })
    expect(await registry.call('shop.get')).toEqual({ result: 'own' })
  })

  it.each(['', 'MCP', '1x', 'a b', 'x:'])('with a scheme that is none is refused: %j', (scheme) => {
    expect(() => toolRegistry().addSource({ ...good, scheme })).toThrow(coded('config-invalid') as Error)
  })
})
