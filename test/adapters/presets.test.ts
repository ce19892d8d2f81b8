import { describe, expect, it } from 'vitest'
import { browser } from '../../adapters/browser/index.ts'
import { deno } from '../../adapters/deno/index.ts'
import { node } from '../../adapters/node/index.ts'
import { memoryFiles, virtual } from '../../adapters/virtual/index.ts'
import { memoryStore } from '../../src/journal/memory-store.ts'
import { agent } from '../../src/index.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import { tool } from '../../src/tool/define.ts'
import { testHost } from '../host.ts'
import { swap } from './swap.ts'

const presets = { browser, deno, node }

describe('a preset', () => {
  it('lets an agent read, calculate, ask, write and resume', async () => {
    const lines = await swap(virtual)
    expect(lines.filter((line) => !line.startsWith('{'))).toEqual([
      'status "suspended"',
      'text "It is written"',
      'file "42\\n"',
      'same files true',
      'http://127.0.0.1/ "tool-denied"',
      'https://169.254.169.254/latest "tool-denied"',
      'http://example.com/ "tool-denied"',
      'lease [{"epoch":1,"lastSeq":0},{"epoch":2,"lastSeq":0}]',
    ])
  })

  it.each(Object.entries(presets))('%s may stand in the place of virtual: the traces are equal', async (_, preset) => {
    expect(await swap(preset)).toEqual(await swap(virtual))
  })

  it('takes parts in the place of its own, and makes none of those it does not need', async () => {
    const host = testHost()
    const [fs, store] = [memoryFiles(), memoryStore()]
    const fetch = () => Promise.reject(new Error('unused'))
    const env = virtual({ host, fs, store, fetch, files: { '/unused': 'x' } })
    expect([env.host, env.fs, env.store, env.fetch]).toEqual([host, fs, store, fetch])
    expect(await fs.stat('/unused')).toBeUndefined()
  })

  it('refuses a root that is no path, and does not take the directory of the program for it', () => {
    for (const preset of [node, deno]) expect(() => preset({ root: '' }).fs).toThrow('Wanted the path of a directory')
  })

  it('gives each environment files of its own', async () => {
    const [one, two] = [virtual(), virtual()]
    await one.fs.write('/x', new Uint8Array(1))
    expect(await two.fs.stat('/x')).toBeUndefined()
  })

  it('sends the requests of tools through the host, once they are allowed', async () => {
    const asked: string[] = []
    const host = testHost({
      fetch: async (input) => {
        asked.push(String(input))
        return new Response('pong')
      },
    })
    const ping = tool({
      name: 'ping',
      description: 'Asks',
      execute: async (_, ctx) => (await ctx.fetch('https://example.com/ping')).text(),
    })
    const model = scriptedModel([{ calls: [{ name: 'ping' }] }, 'ok'])
    const { messages } = await agent({ model, tools: [ping], env: virtual({ host }) }).run('go').result
    expect(asked).toEqual(['https://example.com/ping'])
    expect(messages[2]!.content[0]).toMatchObject({ ok: true, content: [{ type: 'text', text: 'pong' }] })
  })
})
