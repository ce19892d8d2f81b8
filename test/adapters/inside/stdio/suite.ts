// MCP servers that are programs, in each runtime that starts some: the same server, written for Node.
import { mcpServer } from '../../../../adapters/node/source.ts'
import type { StdioServerOptions } from '../../../../adapters/node/source.ts'
import { toolRegistry } from '../../../../src/catalog/tool-registry.ts'
import { isSameloopError } from '../../../../src/error/error.ts'
import { equal } from '../../../../src/testing/assertion.ts'
import { contractCase } from '../report.ts'
import type { Suite } from '../report.ts'

const program = `
  const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
  const tools = ['pid', 'env', 'die'].map((name) => ({ name, inputSchema: { type: 'object' } }))
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line)
    const text = (text) => say({ id, result: { content: [{ type: 'text', text }] } })
    if (method === 'initialize') say({ id, result: { protocolVersion: '2025-11-25', capabilities: { tools: {} } } })
    else if (method === 'tools/list') say({ id, result: { tools } })
    else if (params?.name === 'pid') text(String(process.pid))
    else if (params?.name === 'env') text(Object.keys(process.env).sort().join())
    else if (params?.name === 'die') { console.error('last words'); process.exit(4) }
    else if (id !== undefined) say({ id, error: { code: -32601, message: 'Method not found' } })
  })`

const local = (more: Partial<StdioServerOptions> = {}) =>
  toolRegistry().addSource(mcpServer({ name: 'local', command: 'node', args: ['-e', program], ...more }))

const text = async (registry: ReturnType<typeof local>, name: string): Promise<string> => {
  const { result } = (await registry.call(`mcp://local.${name}`)) as { readonly result: string }
  return result
}

const messageOf = (thrown: unknown): string => (isSameloopError(thrown) ? thrown.message : String(thrown))

interface Runtime {
  readonly process?: { kill(pid: number, signal: number): unknown }
}

function isAlive(pid: number): boolean {
  try {
    ;(globalThis as Runtime).process?.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

export const stdioSuite = (): Suite => ({
  name: 'mcpServer by stdio',
  cases: [
    contractCase('starts a program once, keeps it over calls, and ends it with close', async () => {
      const registry = local()
      const pid = await text(registry, 'pid')
      equal(await text(registry, 'pid'), pid)
      equal(isAlive(Number(pid)), true)
      await registry.close()
      equal(isAlive(Number(pid)), false)
      equal((await text(registry, 'pid')) === pid, false)
      await registry.close()
    }),
    contractCase('gives it no variables but harmless and given ones', async () => {
      const registry = local({ env: { GIVEN: 'yes' } })
      const names = (await text(registry, 'env')).split(',')
      equal(names.includes('GIVEN'), true)
      equal(
        names.filter((name) => !['GIVEN', 'PATH', 'HOME', 'LANG', 'TERM'].includes(name)),
        [],
      )
      await registry.close()
    }),
    contractCase('says why one cannot be started, and the last words of one that ended', async () => {
      const missing = await local({ command: 'no-such-command-anywhere' }).connect().catch(messageOf)
      equal(String(missing).includes('there is no such command'), true)
      const registry = local()
      const outcome = await registry.invoke('mcp://local.die')
      equal(JSON.stringify(outcome.parts).includes('ended with code 4: last words'), true)
      await registry.close()
    }),
  ],
})
