// One unchanged agent in every preset: only `env` is swapped, and nothing else may change.
import { browser } from '../../adapters/browser/index.ts'
import { deno } from '../../adapters/deno/index.ts'
import { node } from '../../adapters/node/index.ts'
import { virtual } from '../../adapters/virtual/index.ts'
import type { PresetOptions } from '../../adapters/virtual/index.ts'
import { agent } from '../../src/agent/agent.ts'
import type { Agent } from '../../src/agent/agent.ts'
import { builtinTools } from '../../src/builtin/builtin.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import { webHost } from '../../src/host/web-host.ts'
import { canonicalTrace, traceHash } from '../../src/testing/trace.ts'
import type { Kit, Scenario } from '../../src/testing/kit.ts'
import type { Environment } from '../../src/tool/environment.ts'
import { readText } from '../../src/vfs/text.ts'

const files = { '/notes.md': '# Notes\n- [ ] write the release text\n- [x] fix the bug\n- [ ] ask Ana\n' }

/** The agent under test; it never learns where it runs. */
const assistant = (env: Environment): Agent =>
  agent({
    model: scriptedModel(
      [
        {
          calls: [
            { name: 'fs_read', input: { path: 'notes.md' } },
            { name: 'fs_grep', input: { pattern: '- [ ]', literal: true } },
          ],
        },
        { calls: [{ name: 'fs_write', input: { path: 'summary.md', contents: 'Open tasks: 2\n' } }] },
        { calls: [{ name: 'fs_edit', input: { path: 'notes.md', find: '# Notes', replace: '# Notes (2 open)' } }] },
        {
          calls: [
            { name: 'fs_list', input: {} },
            { name: 'calculator', input: { expression: '2 * (3 + 4)' } },
          ],
        },
        'There are 2 open tasks.',
      ],
      { chunk: 5 },
    ),
    env,
    tools: builtinTools({ env }),
    approve: ({ name }) => (name === 'fs_write' ? 'approve' : { decision: 'approve-session' }),
  })

/** Files of a browser take real time, in which the kit's clock must not jump. Returns what ends it. */
function keepBusy({ clock }: Kit): () => void {
  let cancel = (): void => {}
  const touch = (): void => {
    clock.touch()
    cancel = webHost.timer(0, touch)
  }
  touch()
  return () => cancel()
}

/** A page and its Workers would meet each other's files. */
const ownBrowser = (options: PresetOptions): Environment & { readonly fs: NonNullable<Environment['fs']> } =>
  browser({ ...options, name: `swap-${crypto.randomUUID()}` })

async function play(
  kit: Kit,
  env: Environment & { readonly fs: NonNullable<Environment['fs']> },
): Promise<readonly string[]> {
  const events = []
  const rest = keepBusy(kit)
  const run = assistant(env).run('Count the open tasks and write the total to summary.md')
  for await (const event of run) {
    kit.clock.touch()
    events.push(event)
  }
  rest()
  kit.equal((await run.result).status, 'done')
  kit.equal(await readText(env.fs, '/summary.md'), 'Open tasks: 2\n')
  kit.includes(await readText(env.fs, '/notes.md'), '# Notes (2 open)')
  return canonicalTrace(events.map((event) => ({ ...event, run: 'run' })))
}

export const swapScenarios: readonly Scenario[] = [
  {
    name: 'one unchanged agent does the same in every preset',
    run: async (kit) => {
      const presets = { virtual, browser: ownBrowser, deno, node }
      const traces: (readonly string[])[] = []
      for (const preset of Object.values(presets)) traces.push(await play(kit, preset({ host: kit.host, files })))
      kit.equal(new Set(traces.map(traceHash)).size, 1, 'Traces of the presets')
      kit.note('trace', traces[0])
    },
  },
]
