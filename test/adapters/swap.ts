// One agent that knows nothing of its runtime, for every preset in turn. It runs in Node and inside a Durable Object.
import type { PresetOptions } from '../../adapters/virtual/index.ts'
import { agent } from '../../src/index.ts'
import { webHost } from '../../src/host/web-host.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import { kit } from '../../src/testing/kit.ts'
import type { Environment } from '../../src/tool/environment.ts'
import { builtinTools } from '../../src/tools.ts'
import { readText } from '../../src/vfs/text.ts'

const script = [
  {
    calls: [
      { name: 'fs_read', input: { path: 'notes.md' } },
      { name: 'calculator', input: { expression: '6 * 7' } },
    ],
  },
  { calls: [{ name: 'fs_write', input: { path: 'deep/answer.md', contents: '42\n' } }] },
  'It is written',
] as const

/** What the agent did in this environment, with a clock and ids that are the same everywhere. */
export async function swap(preset: (options: PresetOptions) => Environment): Promise<readonly string[]> {
  const { host, trace, note, lines } = kit(webHost)
  const env = preset({ host, files: { '/notes.md': '- [ ] count to 42\n' } })
  const assistant = agent({ model: scriptedModel(script), env, tools: builtinTools({ env }) })

  const run = assistant.run('Write down the answer')
  await trace(run)
  const { status, pending, snapshot } = await run.result
  note('status', status)
  const callId = pending[0]?.callId ?? 'none'
  const resumed = await assistant.resume(snapshot, [{ callId, decision: 'approve' }])
  await trace(resumed)
  note('text', await resumed.text)

  note('file', await readText(env.fs!, '/deep/answer.md'))
  note('same files', env.fs === env.fs)
  for (const url of ['http://127.0.0.1/', 'https://169.254.169.254/latest', 'http://example.com/']) {
    note(
      url,
      await env.fetch!(url).then(
        () => 'reached',
        ({ code }: { code: string }) => code,
      ),
    )
  }
  note('lease', [await env.store!.lease('other'), await env.store!.lease('other')])
  return lines()
}
