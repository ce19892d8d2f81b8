import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/json/value.ts'
import type { Message } from '../../src/message/part.ts'
import { localPlanner, plannerLabel } from '../../src/planner/planner.ts'
import { allTools, converse, countingHost, fileTools, respond, user, userTools } from './kit.ts'
import type { Run } from './kit.ts'

/** A file system in a map, behind the tools' names. */
function files(start: { [path: string]: string }): { readonly run: Run; readonly held: Map<string, string> } {
  const held = new Map(Object.entries(start))
  const run: Run = (name, input) => {
    const path = String(input['path'] ?? '')
    if (name === 'fs_read') return held.get(path) ?? new Error(`No file "${path}"`)
    if (name === 'fs_list') return [...held.keys()].join('\n')
    if (name === 'fs_exists') return held.has(path)
    if (name === 'fs_write') {
      held.set(path, String(input['contents']))
      return `Wrote ${path}`
    }
    if (name === 'fs_grep') {
      const lines = [...held].flatMap(([file, text]) =>
        text.split('\n').map((line, index) => `${file}:${index + 1}: ${line}`),
      )
      return lines.filter((line) => line.includes(String(input['pattern']))).join('\n')
    }
    if (name === 'calculator') return 391
    return new Error(`Cannot run "${name}"`)
  }
  return { run, held }
}

const notes = '# Plan\n- [ ] one\n- [x] two\n- [ ] three\n  - [ ] four\n'

describe('localPlanner()', () => {
  it('says what it is', async () => {
    const planner = localPlanner()
    expect(planner).toMatchObject({ id: 'local-planner', provider: 'local', capabilities: { asksFor: 'effects' } })
    expect(plannerLabel).toBe('No AI model: rule-based planner')
    for (const said of ['hello', 'tell me a joke', 'read', 'read notes.md']) {
      expect((await respond([user(said)])).text).toMatch(/rule-based planner, no AI/i)
    }
  })

  it('reads, counts and writes, one step after the other', async () => {
    const { run, held } = files({ 'notes.md': notes })
    const { calls, text } = await converse(
      [user('Read notes.md, count the open tasks, and write the total to summary.md')],
      run,
    )
    expect(calls).toEqual([
      [{ name: 'fs_read', input: { path: 'notes.md' } }],
      [{ name: 'fs_write', input: { path: 'summary.md', contents: 'Open tasks: 3' } }],
    ])
    expect(held.get('summary.md')).toBe('Open tasks: 3')
    expect(text).toContain('Wrote summary.md')
  })

  it.each([
    ['count the open tasks in notes.md and save the result to out.md', 'Open tasks: 3'],
    ['read notes.md then write the number of done tasks to out.md', 'Done tasks: 1'],
    ['How many tasks are in notes.md? Put the count into out.md', 'Tasks: 4'],
    ['copy notes.md to out.md', notes],
    ['append "- [ ] five" to out.md', 'first\n- [ ] five\n'],
    ['search for [ ] in all files; count the matches; write it to out.md', 'Matches: 3'],
  ])('knows the compound skill: %s', async (said, expected) => {
    const { run, held } = files({ 'notes.md': notes, 'out.md': 'first' })
    await converse([user(said)], run)
    expect(held.get('out.md')).toBe(expected)
  })

  it('counts what it is asked to count without writing anything', async () => {
    const { run } = files({ 'a.md': 'one two TODO\nTODO three\n', 'b.md': 'TODO' })
    expect((await converse([user('how many words are in a.md?')], run)).text).toBe('Words: 5')
    expect((await converse([user('count lines in a.md')], run)).text).toBe('Lines: 2')
    expect((await converse([user('how many files are there?')], run)).text).toBe('Files: 2')
    expect((await converse([user('count TODO in all files')], run)).text).toBe('Matches: 3')
    expect((await converse([user('count the word TODO in a.md')], run)).text).toBe('Occurrences of "TODO": 2')
  })

  it('counts over numbered lines and over lists of JSON', async () => {
    const numbered = notes
      .split('\n')
      .map((line, index) => `${index + 1}\t${line}`)
      .join('\n')
    expect((await converse([user('count the open tasks in notes.md')], () => numbered)).text).toBe('Open tasks: 3')
    expect(
      (await converse([user('count TODO in all files')], () => ({ matches: [{ line: 1 }, { line: 2 }] }))).text,
    ).toBe('Matches: 2')
  })

  it('leaves the remarks of tools out of counts and copies, and never writes what was cut', async () => {
    expect((await converse([user('count TODO in all files')], () => '[no matches in 3 files]')).text).toBe('Matches: 0')
    expect((await converse([user('how many files are there?')], () => 'a.md\n[id].tsx\n[2 more entries]')).text).toBe(
      'Files: 2 (of the part that was shown)',
    )
    const written: Json[] = []
    const run: Run = (name, input) => (name === 'fs_read' ? '[the file is empty]' : (written.push(input), 'Wrote it'))
    await converse([user('append "x" to a.md')], run)
    expect(written).toEqual([{ path: 'a.md', contents: 'x\n' }])
    for (const said of ['copy a.md to b.md', 'append "x" to a.md']) {
      const { calls, text } = await converse([user(said)], () => 'one\n[showing lines 1-1 of 900]')
      expect(calls).toEqual([[{ name: 'fs_read', input: { path: 'a.md' } }]])
      expect(text).toContain('The earlier result was cut')
    }
  })

  it('copies a last line in brackets that is no remark', async () => {
    const { run, held } = files({ 'a.md': 'one\n[see the wiki]' })
    await converse([user('copy a.md to b.md')], run)
    expect(held.get('b.md')).toBe('one\n[see the wiki]')
  })

  it('reads several files in one step, and what depends on them later', async () => {
    const { run } = files({ 'a.md': '- [ ] x', 'b.md': '- [ ] y\n- [ ] z' })
    const { calls, text } = await converse([user('read a.md and b.md, then count the open tasks')], run)
    expect(calls.map((step) => step.length)).toEqual([2])
    expect(text).toContain('Open tasks: 3')
  })

  it('never puts two changes into one step', async () => {
    const { calls } = await converse([user('delete a.md and b.md')], () => 'Deleted')
    expect(calls).toEqual([
      [{ name: 'fs_delete', input: { path: 'a.md' } }],
      [{ name: 'fs_delete', input: { path: 'b.md' } }],
    ])
  })

  it('keeps apart what "then" or a change separates', async () => {
    for (const said of ['read a.md then read b.md', 'delete a.md; read b.md', 'read a.md; delete b.md']) {
      const { calls } = await converse([user(said)], () => 'done')
      expect(calls.map((step) => step.length)).toEqual([1, 1])
    }
    const { calls } = await converse([user('read a.md; list the files')], () => 'done')
    expect(calls.map((step) => step.length)).toEqual([2])
  })

  it('refuses where only a common word speaks for a tool', async () => {
    const tools = Array.from({ length: 6 }, (_, n) => ({
      name: `tool${n}`,
      description: 'Handles data.',
      inputSchema: { type: 'object', properties: {} },
    }))
    expect((await respond([user('data')], { tools })).text).toContain('I cannot plan "data"')
  })

  it('gives one reason for each call', async () => {
    const { text } = await respond([user('show notes.md')])
    expect(text).toBe("Rule-based planner, no AI: matched fs_read on 'show', path=notes.md")
  })

  it('says a failure plainly, stops there, and names what is left undone', async () => {
    const { run } = files({})
    const { calls, text } = await converse([user('read gone.md; then write "x" to y.md')], run)
    expect(calls).toHaveLength(1)
    expect(text).toBe('fs_read did not work (failed): No file "gone.md"\nI stopped there. Not done: write "x" to y.md')
  })

  it('says a denial plainly and does not ask for the same again', async () => {
    const start: Message[] = [
      user('delete old.txt'),
      {
        role: 'assistant',
        content: [{ type: 'tool-call', callId: 'c1', name: 'fs_delete', input: { path: 'old.txt' } }],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            callId: 'c1',
            name: 'fs_delete',
            ok: false,
            reason: 'denied',
            content: [{ type: 'text', text: 'Keep it' }],
          },
        ],
      },
    ]
    const { calls, text } = await respond(start)
    expect(calls).toEqual([])
    expect(text).toBe('fs_delete was denied: Keep it')
  })

  it('asks for what is missing and goes on with the answer', async () => {
    const { run } = files({ 'notes.md': 'hello' })
    const first = await converse([user('read the file')], run)
    expect(first.text).toContain('I need `path` for fs_read')
    const second = await converse([...first.messages, user('notes.md')], run)
    expect(second.calls).toEqual([[{ name: 'fs_read', input: { path: 'notes.md' } }]])
    expect(second.text).toBe('hello')
  })

  it('takes a new command after a question for what it is', async () => {
    const { run } = files({ 'notes.md': 'hello' })
    const first = await converse([user('delete')], run)
    const second = await converse([...first.messages, user('list the files')], run)
    expect(second.calls).toEqual([[{ name: 'fs_list', input: {} }]])
  })

  it('asks which of two tools is meant and takes its name for an answer', async () => {
    const twins = ['alpha', 'beta'].map((name) => ({
      name: `search_${name}`,
      description: 'Searches things.',
      inputSchema: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
    }))
    const first = await converse([user('search for cats')], () => 'none', twins)
    expect(first.text).toContain('Did you mean search_alpha or search_beta?')
    const second = await converse([...first.messages, user('search_beta')], () => 'two cats', twins)
    expect(second.calls).toEqual([[{ name: 'search_beta', input: { query: 'cats' } }]])
  })

  it('puts earlier results where $1, $last and "it" stand', async () => {
    const { run, held } = files({ 'a.md': 'A', 'b.md': 'B' })
    await converse(
      [user('/fs_read path=a.md\n/fs_read path=b.md\n/fs_write path=c.md contents="$1 and $2, last $last"')],
      run,
    )
    expect(held.get('c.md')).toBe('A and B, last B')
    const first = await converse([user('read a.md')], run)
    await converse([...first.messages, user('save it to d.md')], run)
    expect(held.get('d.md')).toBe('A')
    expect((await respond([user('/fs_write path=c.md contents=$3')])).text).toContain(
      'There is no earlier result for $3',
    )
  })

  it('takes the explicit grammar apart as it is written', async () => {
    const input = async (said: string): Promise<Json | undefined> => (await respond([user(said)])).calls[0]?.input
    expect(await input('/fs_edit path=a.md find="a \\"b\\"" replace=\'\' all=true')).toEqual({
      path: 'a.md',
      find: 'a "b"',
      replace: '',
      all: true,
    })
    expect(await input('/fs_read path=a.md limit=5')).toEqual({ path: 'a.md', limit: 5 })
    expect(await input('/fs_read path=a.md limit=many')).toEqual({ path: 'a.md', limit: 'many' })
    expect(await input('/fs-read {"path":"x","__proto__":{"y":1}}')).toEqual({ path: 'x' })
    expect(await input('/fs_list')).toEqual({})
    expect((await respond([user('/fs_read {broken')])).text).toContain('is no JSON object')
    expect((await respond([user('/unknown a=1')])).text).toContain('There is no tool "unknown"')
  })

  it('refuses with three things it can run and the way to a model', async () => {
    const { text, calls } = await respond([user('tell me a joke')])
    expect(calls).toEqual([])
    expect(text).toContain('I cannot plan "tell me a joke" without a model')
    expect(text.match(/^- .+$/gm)).toEqual([
      '- /calculator expression=17*23',
      '- /fs_read path=notes.md',
      '- /fs_write path=notes.md contents=hello',
    ])
    expect(text).toContain('connect a model')
  })

  it('matches on the examples a tool brings, and shows them', async () => {
    const tool = {
      name: 'zorp',
      description: 'Internal.',
      examples: ['water the plants'],
      inputSchema: { type: 'object', properties: {} },
    }
    expect((await respond([user('water my plants')], { tools: [...fileTools, tool] })).calls).toEqual([
      { name: 'zorp', input: {} },
    ])
    expect((await respond([user('help')], { tools: [tool] })).text).toContain('- water the plants')
  })

  it('shortens a long result to its size and first lines', async () => {
    const { text } = await converse([user('read big.txt')], () =>
      Array.from({ length: 500 }, (_, n) => `line ${n}`).join('\n'),
    )
    expect(text.split('\n')[0]).toBe('500 lines, beginning with:')
    expect(text.split('\n')).toHaveLength(10)
  })

  it('streams small pieces, then whole calls, then one finish without usage', async () => {
    const { events } = await respond([user('read a.md and b.md')])
    expect(events[0]).toEqual({ type: 'text-start', id: 'text' })
    expect(events.filter((event) => event.type === 'text-delta').length).toBeGreaterThan(2)
    expect(events.filter((event) => event.type === 'tool-input-start')).toEqual([
      { type: 'tool-input-start', index: 0, callId: 'call_1', name: 'fs_read' },
      { type: 'tool-input-start', index: 1, callId: 'call_2', name: 'fs_read' },
    ])
    expect(events.at(-1)).toEqual({ type: 'finish', reason: 'tool-calls', usage: { input: 0, output: 0 } })
    const { events: spoken } = await respond([user('hello')])
    expect(spoken.at(-1)).toEqual({ type: 'finish', reason: 'stop', usage: { input: 0, output: 0 } })
  })

  it('says the same for the same text and tools', async () => {
    const once = await respond([user('weather in Tokyo')], { host: countingHost() })
    expect(await respond([user('weather in Tokyo')], { host: countingHost() })).toEqual(once)
  })

  it('makes no calls where the settings forbid tools', async () => {
    expect((await respond([user('read a.md')], { settings: { toolChoice: 'none' } })).calls).toEqual([])
  })

  it('throws the reason of an abort as it is', async () => {
    const controller = new AbortController()
    const reason = new Error('stop')
    controller.abort(reason)
    await expect(respond([user('read a.md')], { signal: controller.signal })).rejects.toBe(reason)
  })

  it('survives strange input', async () => {
    const strange = [
      '',
      '   ',
      '?!',
      ';;;',
      'and then',
      '"',
      "''",
      '/',
      '/ x',
      '$last',
      '💥'.repeat(50),
      '(((',
      'a'.repeat(20_000),
      'in in '.repeat(2_000),
      '"x '.repeat(2_000),
      '1+'.repeat(3_000),
    ]
    for (const said of strange) expect((await respond([user(said)])).calls).toEqual([])
    expect((await respond([])).calls).toEqual([])
    expect((await respond([user('read a.md')], { tools: [] })).text).toContain('There are no tools to run')
  })

  it('never fills parameters named like properties of Object.prototype from thin air', async () => {
    const tool = {
      name: 'store_thing',
      description: 'Stores a thing.',
      inputSchema: JSON.parse(
        '{"type":"object","properties":{"constructor":{"type":"string"},"__proto__":{"type":"string"}},"required":["constructor"]}',
      ),
    }
    expect((await respond([user('store thing')], { tools: [tool] })).calls).toEqual([])
    expect((await respond([user('/store_thing constructor=x __proto__=y')], { tools: [tool] })).text).toContain(
      '"__proto__" is no parameter',
    )
  })

  it('works with the tools of the user alone', async () => {
    expect((await respond([user('weather in Bergen')], { tools: userTools })).calls).toEqual([
      { name: 'get_weather', input: { city: 'Bergen' } },
    ])
    expect((await respond([user('what is 2+2')], { tools: userTools })).calls).toEqual([])
    expect(allTools).toHaveLength(13)
  })
})

describe('a tool for commands', () => {
  const shell = {
    name: 'shell',
    description: 'Runs a shell command over the workspace files and gives what it printed.',
    inputSchema: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
    examples: ['run ls -la', 'execute a command'],
  }
  it.each([
    ['run ls -la', 'ls -la'],
    ['please run the command grep -rn TODO src | wc -l', 'grep -rn TODO src | wc -l'],
    ['run `cat notes.md; wc -l notes.md`', 'cat notes.md; wc -l notes.md'],
    ['execute sort data.csv | head -n 3', 'sort data.csv | head -n 3'],
    ['run grep -c "open tasks" notes.md in the shell', 'grep -c "open tasks" notes.md'],
  ])('is given what was typed: %s', async (said, command) => {
    const { calls } = await respond([user(said)], { tools: [...fileTools, shell] })
    expect(calls).toEqual([{ name: 'shell', input: { command } }])
  })
  it.each(['run the tests', 'run it', 'execute a command'])('is not guessed at: %s', async (said) => {
    const { calls } = await respond([user(said)], { tools: [...fileTools, shell] })
    expect(calls).toEqual([])
  })
})
