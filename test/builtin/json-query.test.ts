import { describe, expect, it } from 'vitest'
import { jsonQuery } from '../../src/builtin/json-query.ts'
import type { Json } from '../../src/json/value.ts'
import { policy } from '../../src/policy/policy.ts'
import { toolRegistry } from '../../src/catalog/tool-registry.ts'
import { contentText } from '../../src/message/text.ts'
import { memoryFiles } from '../../src/vfs/memory.ts'
import type { Policy } from '../../src/tool/rule.ts'

/** The text a model reads, or the reason and text of a failure. */
function bench(files?: Record<string, string | Uint8Array>, limits?: Policy) {
  const fs = files && memoryFiles({ files })
  const registry = toolRegistry({ env: fs ? { fs } : {} })
  registry.register(jsonQuery({ env: fs ? { fs } : {}, policy: limits }))
  return async (input: Json): Promise<string> => {
    const outcome = await registry.invoke('json_query', input)
    const text = contentText(outcome.parts)
    return outcome.ok ? text : `${outcome.reason}: ${text}`
  }
}

const orders = {
  orders: [
    { id: 1, total: 5 },
    { id: 2, total: 50 },
  ],
}

describe('json_query', () => {
  it('queries a value, a JSON text and a file alike', async () => {
    const ask = bench({ '/orders.json': `\ufeff${JSON.stringify(orders)}` })
    const expression = 'orders[?total > `10`].id'
    for (const source of [{ data: orders }, { data: JSON.stringify(orders) }, { path: 'orders.json' }])
      expect(await ask({ expression, ...source })).toBe('[2]')
    expect(await ask({ expression: 'nothing.here', data: orders })).toBe('null')
    expect(await ask({ expression: 'orders[0]', data: orders })).toBe('{"id":1,"total":5}')
  })

  it('wants one document', async () => {
    const ask = bench({})
    expect(await ask({ expression: 'a' })).toBe('failed: Expected "data" or "path", one of them, got none')
    expect(await ask({ expression: 'a', data: {}, path: 'a.json' })).toBe(
      'failed: Expected "data" or "path", one of them, got both',
    )
    expect(await bench()({ expression: 'a' })).toBe('failed: Expected "data", got none')
  })

  it('knows no path where there are no files', async () => {
    expect(await bench()({ expression: 'a', path: 'x.json' })).toMatch(/^invalid-input: /)
  })

  it('says in band what is wrong with the expression, the document and the file', async () => {
    const ask = bench({
      '/broken.json': '{"a":',
      '/binary.json': new Uint8Array([0, 1]),
      '/deep.json': '['.repeat(2000) + ']'.repeat(2000),
    })
    expect(await ask({ expression: 'a[', data: {} })).toBe(
      'failed: Cannot read the JMESPath expression at position 3: it ends too early',
    )
    expect(await ask({ expression: 'a', path: 'broken.json' })).toBe(
      'failed: "broken.json" is no JSON, or is nested deeper than 500 levels',
    )
    expect(await ask({ expression: 'a', path: 'deep.json' })).toBe(
      'failed: "deep.json" is no JSON, or is nested deeper than 500 levels',
    )
    expect(await ask({ expression: 'a', path: 'binary.json' })).toContain('it is a binary file')
    expect(await ask({ expression: 'a', path: 'Broken.json' })).toContain('did you mean "broken.json"?')
    expect(await ask({ expression: 'a', data: '{a: 1}' })).toBe(
      'failed: The data is no JSON, or is nested deeper than 500 levels',
    )
  })

  it('reads no file that the policy keeps away, and none that is too large', async () => {
    const files = { '/w/a.json': '{"a":1}', '/w/.env': '{"key":"secret"}', '/etc.json': '{"a":2}' }
    const ask = bench(files, policy({ workspaceRoot: '/w', protectedPaths: ['.env'] }))
    expect(await ask({ expression: 'a', path: 'a.json' })).toBe('1')
    expect(await ask({ expression: '@', path: '.env' })).toMatch(/^failed: .*the policy protects it/)
    expect(await ask({ expression: '@', path: '../etc.json' })).toMatch(/^failed: .*lies outside/)
    const large = bench({ '/large.json': `"${'x'.repeat(4 * 2 ** 20)}"` })
    expect(await large({ expression: '@', path: 'large.json' })).toContain('at most 4194304 are allowed')
    expect(await large({ expression: '@', data: `"${'x'.repeat(4 * 2 ** 20)}"` })).toContain(
      'at most 4194304 are allowed',
    )
  })

  it('gives the whole of a result only as far as results go', async () => {
    const list = Array.from({ length: 40_000 }, (_, index) => index)
    expect(await bench()({ expression: '@', data: list })).toContain('characters left out')
    expect(await bench()({ expression: '[[@, @], [@, @], [@, @], [@, @]] | [@, @]', data: list })).toContain(
      'its result is larger than 1048576 characters',
    )
  })

  it('is named by include', () => {
    expect(jsonQuery({ env: {}, include: ['json_*'] })).toHaveLength(1)
    expect(() => jsonQuery({ env: {}, include: ['calculator'] })).toThrow('Cannot include "calculator"')
  })
})
