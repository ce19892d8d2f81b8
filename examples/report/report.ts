// Fetches two documents at once, merges them, has an agent sum them up, asks a person, and writes a report.
// No key and no network: the documents are below, and the agent's model says what a script tells it.
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { agent } from 'sameloop'
import type { RunEvent } from 'sameloop'
import { toMermaid, toSvg } from 'sameloop/drawing'
import { scriptedModel } from 'sameloop/testing'
import { tool } from 'sameloop/valibot'
import { virtual } from 'sameloop/virtual'
import { workflow, workflowEngine } from 'sameloop/workflow'
import * as v from 'valibot'

const documents: Readonly<Record<string, string>> = {
  'https://example.com/sales': 'Sales rose by 12 percent.',
  'https://example.com/support': 'Three questions wait for an answer.',
}

// Where it runs: files in memory, and a fetch that knows these two documents.
const serve = async (url: unknown): Promise<Response> => {
  const text = documents[String(url)]
  return text === undefined ? new Response('', { status: 404 }) : new Response(text)
}
const env = { ...virtual(), fetch: serve }

const fetchText = tool({
  name: 'fetch_text',
  description: 'Fetches a document.',
  input: v.object({ url: v.string() }),
  output: v.object({ text: v.string() }),
  effect: 'read',
  async execute({ url }, { fetch }) {
    const response = await fetch(url)
    if (!response.ok) throw new Error(`${url} answers ${response.status}`)
    return { text: await response.text() }
  },
})
const merge = tool({
  name: 'merge',
  description: 'Makes one text of several.',
  input: v.object({ texts: v.array(v.string()) }),
  output: v.object({ text: v.string(), count: v.number() }),
  execute: ({ texts }) => ({ text: texts.join('\n'), count: texts.length }),
})
const writeReport = tool({
  name: 'write_report',
  description: 'Writes the report.',
  input: v.object({ path: v.string(), text: v.string() }),
  effect: 'local',
  execute: ({ path, text }, { fs }) => fs.write(path, new TextEncoder().encode(text)),
})

// A real model goes here: openaiChat({ model, apiKey }), or anthropic({ model, apiKey }).
const writer = agent({ model: scriptedModel(['Sales are up; three customers wait.']), env })

const report = workflow('report')
  .start()
  .parallel('fetched', {
    branches: {
      sales: { type: 'tool', tool: 'fetch_text', input: { url: '{{ input.sales }}' } },
      support: { type: 'tool', tool: 'fetch_text', input: { url: '{{ input.support }}' } },
    },
  })
  .tool('merged', { tool: 'merge', input: { texts: ['{{ fetched.sales.text }}', '{{ fetched.support.text }}'] } })
  .agent('summary', { agent: 'writer', prompt: 'Sum up in one sentence:\n{{ merged.text }}' })
  .approval('asked', { message: 'Write "{{ summary.text }}"?', denied: 'kept' })
  .tool('written', {
    tool: 'write_report',
    input: { path: '/report.md', text: '# Report\n\n{{ summary.text }}\n\nFrom {{ merged.count }} documents.\n' },
  })
  .end({ output: '/report.md' })
  .end('kept')

const engine = workflowEngine({
  tools: [fetchText, merge, writeReport],
  agents: { writer },
  env,
  approve({ reason }) {
    console.log(`${reason} Yes.`)
    return 'approve'
  },
})
const run = engine.run(report, { sales: 'https://example.com/sales', support: 'https://example.com/support' })

const events: RunEvent[] = []
for await (const event of run) {
  events.push(event)
  if (event.type === 'node-end' && !event.path) console.log(`${event.node}: ${event.status}`)
}
const result = await run.result

console.log(toMermaid(report, result, { events }))
const picture = join(await mkdtemp(join(tmpdir(), 'sameloop-report-')), 'report.svg')
await writeFile(picture, toSvg(report, result, { events }))
console.log(`The picture is ${picture}`)

const written = (await env.fs.stat('/report.md'))
  ? new TextDecoder().decode(await env.fs.read('/report.md'))
  : 'nothing'
console.log(written)
const expected = '# Report\n\nSales are up; three customers wait.\n\nFrom 2 documents.\n'
if (result.status !== 'done' || written !== expected) {
  console.error(`Expected a report, got status ${result.status} (${result.error?.message ?? 'no error'})`)
  process.exitCode = 1
}
