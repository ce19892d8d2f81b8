// A model's programs within an agent: they call its tools, each call of which goes the way of every call.
import { agent } from '../../../../src/agent/agent.ts'
import { builtinTools } from '../../../../src/builtin/builtin.ts'
import { codeTools } from '../../../../src/builtin/code-tools.ts'
import { objectInput } from '../../../../src/builtin/json-input.ts'
import { webHost } from '../../../../src/host/web-host.ts'
import { scriptedModel } from '../../../../src/model/scripted-model.ts'
import type { Sandbox } from '../../../../src/sandbox/sandbox.ts'
import type { ContractCase } from '../../../../src/testing/contract/case.ts'
import { equal, includes } from '../../../../src/testing/assertion.ts'
import { tool } from '../../../../src/tool/define.ts'
import { memoryFiles } from '../../../../src/vfs/memory.ts'
import { exists, readText } from '../../../../src/vfs/text.ts'
import { contractCase } from '../report.ts'

/** Runs one program as the model's only call. */
async function play(code: Sandbox, program: string, decision: 'approve' | 'deny') {
  const fs = memoryFiles({ files: { '/prices.json': '{"tea":3}' } })
  const env = { host: webHost, fs, code }
  const [asked, sent]: [string[], unknown[]] = [[], []]
  const stock = tool({ name: 'stock', description: 'How many there are', execute: () => ({ tea: 14 }) })
  const order = tool({
    name: 'order',
    description: 'Orders',
    input: objectInput<{ readonly tea: number }>({ tea: { type: 'integer' } }, ['tea']),
    approval: true,
    execute: (input) => {
      sent.push(input)
      return { number: sent.length }
    },
  })
  const { messages, status } = await agent({
    model: scriptedModel([{ calls: [{ name: 'run_javascript', input: { code: program } }] }, 'done']),
    env,
    tools: [...codeTools({ env }), ...builtinTools({ env, include: ['fs_write'] }), stock, order],
    approve: ({ name }) => {
      asked.push(name)
      return decision
    },
  }).run('Order tea').result
  equal(status, 'done')
  const part = messages.find(({ role }) => role === 'tool')?.content[0]
  if (part?.type !== 'tool-result') throw new Error('There is no result')
  const text = part.content.map((one) => (one.type === 'text' ? one.text : '')).join('')
  return { ok: part.ok, text, asked, sent, fs }
}

const cases: Readonly<Record<string, (code: Sandbox) => Promise<void>>> = {
  'calls two tools, of which one asks a person': async (code) => {
    const program = `
      const prices = JSON.parse(await fs.readText('prices.json'))
      const { tea } = (await tools.stock()).result
      console.log('there are', tea)
      const { number } = (await tools.order({ tea: 20 - tea })).result
      await tools.fs_write({ path: 'order.txt', contents: 'number ' + number })
      return { number, costs: (20 - tea) * prices.tea }
    `
    const { ok, text, asked, sent, fs } = await play(code, program, 'approve')
    equal([ok, text], [true, 'there are 14\n{"number":1,"costs":18}'])
    equal([asked, sent], [['order', 'fs_write'], [{ tea: 6 }]])
    equal(await readText(fs, '/order.txt'), 'number 1')
  },
  'sees a call that a person refuses as an error': async (code) => {
    const program = `
      try {
        await tools.order({ tea: 1 })
      } catch (error) {
        return [error.code, error instanceof Error, error.message]
      }
    `
    const { ok, text, sent } = await play(code, program, 'deny')
    equal([ok, sent], [true, []])
    includes(text, '["tool-denied",true,')
    const uncaught = await play(code, 'await tools.order({ tea: 1 })', 'deny')
    equal([uncaught.ok, uncaught.sent], [false, []])
    includes(uncaught.text, 'exit code 1')
  },
  'finds no tool that there is not, and writes no file but through a tool': async (code) => {
    const { text, fs } = await play(
      code,
      `const failures = []
      for (const work of [() => tools.nothing({}), () => fs.writeText('x', 'y'), () => callTool('run_javascript', 7)])
        await work().catch((error) => failures.push(error.code))
      return failures`,
      'approve',
    )
    equal(text, '["tool-not-found","vfs-read-only","tool-invalid-input"]')
    equal(await exists(fs, '/x'), false)
  },
}

export const agentCases = (make: () => Sandbox): readonly ContractCase[] =>
  Object.entries(cases).map(([name, run]) =>
    contractCase(`a program of an agent ${name}`, async () => {
      const sandbox = make()
      try {
        await run(sandbox)
      } finally {
        await sandbox.dispose()
      }
    }),
  )
