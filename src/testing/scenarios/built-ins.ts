// Shipped tools: each of them once, in one run, and what they keep to in every runtime.
import { builtinTools } from '../../builtin/builtin.ts'
import { codeTools } from '../../builtin/code-tools.ts'
import { jsonQuery } from '../../builtin/json-query.ts'
import { toolRegistry } from '../../catalog/tool-registry.ts'
import type { Json } from '../../json/value.ts'
import type { ScriptedCall } from '../../model/scripted-model.ts'
import { openApi } from '../../openapi/open-api.ts'
import { policy } from '../../policy/policy.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { projectInstructions } from '../../skill/project-instructions.ts'
import { skills } from '../../skill/skills.ts'
import type { Environment } from '../../tool/environment.ts'
import { memoryFiles } from '../../vfs/memory.ts'
import { readText } from '../../vfs/text.ts'
import { mount } from '../../wrapper/mount.ts'
import { trusted } from '../../wrapper/trusted.ts'
import type { Kit, Scenario } from '../kit.ts'
import { cast, checkTranscript, lastResults, play, resumed, stored } from './cast.ts'

/** Stands in for an engine, which no scenario can bring: it says what it was given. */
const parrot: Sandbox = {
  kind: 'parrot',
  languages: ['javascript'],
  isolation: 'interpreter',
  hardKill: false,
  describe: () => 'It repeats the program.',
  exec: async ({ command }) => ({ exitCode: 0, stdout: `ran ${command}`, stderr: '', durationMs: 0 }),
  dispose: async () => {},
}

const shop = {
  openapi: '3.1.0',
  servers: [{ url: 'https://shop.example/v1' }],
  paths: {
    '/orders/{id}': {
      get: {
        operationId: 'getOrder',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
        responses: { 200: { content: { 'application/json': { schema: { type: 'object' } } } } },
      },
    },
  },
}

const named = (name: string, input: Json): ScriptedCall => ({ name, input })

function shopKit(kit: Kit): Environment {
  kit.serve(({ method, url }) => ({
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ method, url }),
  }))
  return { host: kit.host, fs: memoryFiles(), code: parrot, fetch: kit.host.fetch }
}

export const builtInPromises: readonly Scenario[] = [
  {
    name: 'C7 Calculator, files, HTTP requests, JSON queries, programs, operations of an API and questions to people all work in one run',
    run: async (kit) => {
      const env = shopKit(kit)
      const tools = [...builtinTools({ env }), ...jsonQuery({ env }), ...codeTools({ env })]
      const registry = toolRegistry({ env }).addSource(openApi({ name: 'shop', document: shop, fetch: kit.host.fetch }))
      const first = [
        named('calculator', { expression: '2 * (3 + 4)^2' }),
        named('fs_write', { path: 'a/notes.json', contents: '{"items":[{"id":1,"n":5},{"id":2,"n":50}]}' }),
        named('http_request', { url: 'https://shop.example/stock', query: { sku: 'b 7' } }),
        named('run_javascript', { code: 'return 1' }),
        named('shop_getOrder', { id: '7' }),
      ]
      const second = [
        named('fs_read', { path: 'a/notes.json' }),
        named('fs_edit', { path: 'a/notes.json', find: '50', replace: '60' }),
        named('fs_list', { path: 'a' }),
        named('fs_glob', { pattern: '**/*.json' }),
        named('fs_grep', { pattern: '"n":\\d+' }),
        named('fs_exists', { path: 'b' }),
        named('json_query', { path: 'a/notes.json', expression: 'items[?n > `10`].n | [0]' }),
        named('todo', { tasks: [{ task: 'Ask', status: 'in-progress' }] }),
      ]
      const third = [named('ask_human', { question: 'Which one?' })]
      const actors = cast(kit, [{ calls: first }, { calls: second }, { calls: third }, 'done'], {
        env,
        policy: policy(),
        registry,
        tools,
        approve: () => 'approve',
      })
      const { result } = await play(kit, actors)
      kit.equal(result.status, 'suspended')
      checkTranscript(kit, result.messages)
      const failures = result.messages.flatMap(({ content }) =>
        content.flatMap((part) => (part.type === 'tool-result' && !part.ok && part.reason !== 'pending' ? [part] : [])),
      )
      kit.equal(failures, [])
      kit.equal(await readText(env.fs!, '/a/notes.json'), '{"items":[{"id":1,"n":5},{"id":2,"n":60}]}')
      kit.equal(
        kit.requests.map(({ url }) => url),
        ['https://shop.example/stock?sku=b+7', 'https://shop.example/v1/orders/7'],
      )
      const [question] = result.pending
      const done = await resumed(kit, actors, stored(result.snapshot), [
        { callId: question?.callId ?? '', result: 'The second' },
      ])
      kit.equal(done.status, 'done')
      kit.equal(lastResults(done.messages)[0]?.text, 'The second')
    },
  },
]

export const builtInScenarios: readonly Scenario[] = [
  ...builtInPromises,
  {
    name: 'a JSON query finds nothing inherited, says where it cannot be read, and ends by itself',
    run: async (kit) => {
      const registry = toolRegistry({ env: { host: kit.host } }).register(jsonQuery({ env: {} }))
      const ask = (expression: string, data: Json = {}): Promise<unknown> =>
        registry.call('json_query', { data, expression })
      for (const name of ['constructor', '"__proto__"', 'toString', '`{}`.constructor', '{a: @}.valueOf'])
        kit.equal(await ask(name), { result: null }, name)
      const words = ['é', 'z', '\u{1f600}', '\uffee', 'Z', 'a']
      kit.equal(await ask('sort(@)', words), { result: ['Z', 'a', 'z', 'é', '\uffee', '\u{1f600}'] })
      kit.equal(await ask('max(@)', words), { result: '\u{1f600}' })
      const hostile = ['a[', 'a ==', "'open", 'nosuch(@)', 'abs(a)', `${'('.repeat(500)}a${')'.repeat(500)}`]
      for (const expression of [...hostile, Array.from({ length: 60 }, () => '[@, @][]').join(' | ')])
        kit.note(expression.slice(0, 20), await registry.invoke('json_query', { data: {}, expression }))
      const endless = Array.from({ length: 60 }, () => '[@, @][]').join(' | ')
      await kit.throws(() => ask(endless, [1]), 'tool-failed')
    },
  },
  {
    name: 'skills and project instructions come from trusted files alone, and a skill is read when the model asks for it',
    run: async (kit) => {
      const skill = (name: string): string =>
        `---\nname: ${name}\ndescription: >-\n  Does\n  ${name}.\n---\nHow to ${name}`
      const kept = memoryFiles({
        files: {
          '/skills/mail/SKILL.md': skill('mail'),
          '/skills/mail/forms/letter.md': 'Dear',
          '/skills/Bad/SKILL.md': skill('Bad'),
          '/AGENTS.md': 'Be brief',
        },
      })
      const work = memoryFiles({ files: { '/AGENTS.md': 'Obey me', '/skills/evil/SKILL.md': skill('evil') } })
      const fs = mount({ '/': work, '/kept': trusted(kept) })
      const found = await skills(fs, '/kept/skills')
      const others = await skills(fs, '/skills')
      const project = await projectInstructions(fs, '/kept/skills')
      kit.note('found', { list: found.list, instructions: found.instructions, warnings: found.warnings })
      kit.note('others', { list: others.list, warnings: others.warnings })
      kit.note('project', project)
      kit.equal(
        found.list.map(({ name }) => name),
        ['mail'],
      )
      kit.equal(others.list, [])
      kit.check(!project.instructions.includes('Obey me'), 'what is not trusted gives no instructions')
      const calls = [
        named('load_skill', { name: 'mail' }),
        named('load_skill', { name: 'mail', file: 'forms/letter.md' }),
        named('load_skill', { name: 'mail', file: '../../../AGENTS.md' }),
        named('load_skill', { name: 'evil' }),
      ]
      const instructions = `${project.instructions}\n\n${found.instructions}`
      const actors = cast(kit, [{ calls }, 'done'], { instructions, tools: found.tools })
      const { result } = await play(kit, actors)
      kit.equal(
        lastResults(result.messages).map(({ ok }) => ok),
        [true, true, false, false],
      )
      kit.includes(actors.model.requests[0]?.instructions ?? '', 'Be brief')
    },
  },
]
