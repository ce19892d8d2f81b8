// The client that the conformance suite runs: it does what the scenario named in its environment asks for.
import { askHuman } from '../../../src/builtin/ask-human.ts'
import { agent } from '../../../src/index.ts'
import { elicitation, mcpServer } from '../../../src/mcp.ts'
import { toolRegistry } from '../../../src/registry.ts'
import { scriptedModel } from '../../../src/model/scripted-model.ts'

const url = process.argv.at(-1) ?? ''
const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? ''

const registry = toolRegistry()
  .register(askHuman())
  .addSource(mcpServer({ name: 'peer', url, offers: [elicitation('ask_human')] }))

/** A run that makes one call, in which the person answers with nothing but a nod. */
const run = async (tool: string): Promise<void> => {
  const model = scriptedModel([{ calls: [{ name: `peer_${tool}` }] }, 'done'])
  await agent({ model, registry, approve: () => ({ result: {} }) }).run('go').result
}

await registry.connect()
if (scenario === 'tools_call') await registry.call('mcp://peer.add_numbers', { a: 5, b: 3 })
if (scenario === 'sse-retry') await registry.call('mcp://peer.test_reconnection')
if (scenario.startsWith('elicitation')) await run('test_client_elicitation_defaults')
await registry.close()
