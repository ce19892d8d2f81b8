// What programs in JavaScript can do, beside what every sandbox can: in every runtime.
import type { ContractCase } from '../../../../src/testing/contract/case.ts'
import type { ExecRequest, ExecResult, Sandbox } from '../../../../src/sandbox/sandbox.ts'
import { SameloopError } from '../../../../src/error/error.ts'
import type { Json } from '../../../../src/json/value.ts'
import { check, equal, includes } from '../../../../src/testing/assertion.ts'
import { memoryFiles } from '../../../../src/vfs/memory.ts'
import { readText } from '../../../../src/vfs/text.ts'
import { contractCase } from '../report.ts'

type Exec = (command: string, request?: Partial<ExecRequest>) => Promise<ExecResult>

const texts = ({ exitCode, stdout, stderr }: ExecResult): readonly unknown[] => [exitCode, stdout, stderr]

const cases: Readonly<Record<string, (exec: Exec) => Promise<void>>> = {
  'prints what a program returns as JSON on the last line': async (exec) => {
    equal(texts(await exec('console.log("first")\nreturn { a: [1, await Promise.resolve("ü")] }')), [
      0,
      'first\n{"a":[1,"ü"]}\n',
      '',
    ])
    equal(texts(await exec('return')), [0, '', ''])
    equal(texts(await exec('return null // the end')), [0, 'null\n', ''])
    const cycle = await exec('const a = []; a.push(a); return a')
    equal([cycle.exitCode, cycle.stdout], [1, ''])
    includes(cycle.stderr, 'cannot be printed as JSON')
  },
  'says name, message and line of an error that nobody caught': async (exec) => {
    const thrown = await exec('const a = 1\nfunction f() {\n  null.x\n}\nf()')
    equal([thrown.exitCode, thrown.stdout, thrown.stopped], [1, '', undefined])
    includes(thrown.stderr, 'TypeError: ')
    includes(thrown.stderr, 'at f (program.js:3)')
    check(!thrown.stderr.includes('sandbox.js'), 'no place outside of the program')
    const syntax = await exec('const a = 1\nconst b = ;')
    equal(syntax.exitCode, 1)
    includes(syntax.stderr, 'SyntaxError: ')
    includes(syntax.stderr, 'program.js:2')
    includes((await exec('throw { odd: 1 }')).stderr, 'Uncaught { odd: 1 }')
    includes(
      (await exec('setTimeout(() => { throw new RangeError("later") }, 1); await sleep(60_000)')).stderr,
      'later',
    )
  },
  'shows values as people read them': async (exec) => {
    const { stdout } = await exec(`
      class Point { x = 1 }
      const ring = { name: 'ring' }
      ring.self = ring
      console.log('text', 1, -0, 10n, null, undefined, true, Symbol('s'))
      console.log([1, 'two', [3]], { a: { b: { c: {} } }, 'odd key': "it's" }, [])
      console.log(new Map([['a', 1]]), new Set([1]), new Point(), ring, Object.create(null))
      console.log(new Uint8Array([1, 2]), new Date(0), /x/g, () => 1, function named() {}, { get a() { return 1 } })
      console.log({ a: { b: { c: { d: { e: { f: 1 } } } } } })
    `)
    equal(stdout.split('\n'), [
      'text 1 -0 10n null undefined true Symbol(s)',
      '[ 1, "two", [ 3 ] ] { a: { b: { c: {} } }, "odd key": "it\'s" } []',
      'Map(1) { "a" => 1 } Set(1) { 1 } Point { x: 1 } { name: "ring", self: [Circular] } [Object: null prototype] {}',
      'Uint8Array(2) [ 1, 2 ] 1970-01-01T00:00:00.000Z /x/g [Function: anonymous] [Function: named] { a: [Getter] }',
      '{ a: { b: { c: { d: { e: [Object] } } } } }',
      '',
    ])
    const long = await exec('console.log(Array.from({ length: 1000 }, (_, at) => ({ at })))')
    includes(long.stdout, '… 900 more')
    includes(long.stdout, '\n  { at: 0 }, { at: 1 },')
  },
  'reads and writes files from the working directory': async (exec) => {
    const fs = memoryFiles({ files: { '/in/a.txt': 'one two ✓' } })
    const result = await exec(
      `
      const text = await fs.readText('a.txt')
      await fs.write('made/b.bin', new Uint8Array([9, 0, 255, 7]).subarray(1, 3))
      await fs.writeText('made/c.txt', text)
      await fs.writeText('made/c.txt', '!', { mode: 'append' })
      await fs.mkdir('/empty')
      await fs.rename('made/c.txt', 'made/d.txt')
      await fs.remove('/empty')
      return [text, await fs.list('made'), [...await fs.read('made/b.bin')], (await fs.stat('a.txt')).size,
        await fs.stat('none'), await fs.exists('a.txt'), await fs.exists('/empty')]
    `,
      { fs, cwd: '/in' },
    )
    const [text, entries, ...rest] = JSON.parse(result.stdout || '[]') as unknown[]
    equal([text, ...rest], ['one two ✓', [0, 255], 11, null, true, false])
    equal(
      (entries as readonly { readonly name: string }[]).map(({ name }) => name),
      ['b.bin', 'd.txt'],
    )
    equal(await readText(fs, '/in/made/d.txt'), 'one two ✓!')
  },
  'throws errors of files with their code': async (exec) => {
    const { stdout } = await exec(`
      const codes = []
      for (const work of [() => fs.readText('/none'), () => fs.read('/'), () => fs.readText('\\0'), () => fs.read(7),
        () => fs.write('/a', {}), () => fs.writeText('/a', 7)])
        await work().catch((error) => codes.push(error.code ?? error.name))
      return codes
    `)
    equal(stdout.trim(), '["vfs-not-found","vfs-is-directory","vfs-invalid","TypeError","TypeError","TypeError"]')
  },
  'calls tools, and throws where a call fails': async (exec) => {
    const called: unknown[] = []
    const call = async (name: string, input: Json): Promise<unknown> => {
      called.push([name, input])
      if (name === 'refused') throw new SameloopError('tool-denied', 'Cannot call "refused": a person said no')
      if (name === 'nothing') return undefined
      return { name, input, list: [1, null, 'ü'] }
    }
    const program = `
      const given = await tools.echo({ a: 1, gone: undefined, at: new Date(0) })
      const [first, second] = await Promise.all([callTool('rest://shop.get', { id: 2 }), tools['odd.name']()])
      let error
      try { await tools.refused({}) } catch (thrown) { error = thrown }
      return [given, first.name, second.input, await tools.nothing(), error.code, error.message, error instanceof Error]
    `
    const { exitCode, stdout, stderr } = await exec(program, { call })
    equal([exitCode, stderr], [0, ''])
    equal(JSON.parse(stdout), [
      { name: 'echo', input: { a: 1, at: '1970-01-01T00:00:00.000Z' }, list: [1, null, 'ü'] },
      'rest://shop.get',
      {},
      null,
      'tool-denied',
      'Cannot call "refused": a person said no',
      true,
    ])
    equal(
      called.map((one) => (one as unknown[])[0]),
      ['echo', 'rest://shop.get', 'odd.name', 'refused', 'nothing'],
    )
    includes((await exec('await tools.echo({})')).stderr, "'tools' is not defined")
  },
  'has a network only where it is given one': async (exec) => {
    equal(
      (await exec('return [typeof fetch, typeof process, typeof require, typeof XMLHttpRequest]')).stdout.trim(),
      '["undefined","undefined","undefined","undefined"]',
    )
    const fetch = async (input: unknown, init: RequestInit = {}): Promise<Response> => {
      const request = new Request(input as string, init)
      const said = `${request.method} ${request.headers.get('x-a')} ${await request.text()}`
      return Response.json({ said }, { status: 201, headers: { 'x-b': 'c' } })
    }
    const program = `
      const response = await fetch('https://example.com/a', { method: 'POST', headers: { 'x-a': 'b' }, body: 'words' })
      return [response.status, response.ok, response.headers['x-b'], await response.json()]
    `
    equal((await exec(program, { fetch: fetch as never })).stdout.trim(), '[201,true,"c",{"said":"POST b words"}]')
  },
  'waits for time, and for nothing that never comes': async (exec) => {
    const program = `
      const order = []
      const late = new Promise((resolve) => setTimeout(resolve, 30, 'late'))
      const gone = setTimeout(() => order.push('never'), 1)
      clearTimeout(gone)
      queueMicrotask(() => order.push('soon'))
      await sleep(1)
      order.push('slept', await late)
      return order
    `
    equal((await exec(program)).stdout.trim(), '["soon","slept","late"]')
    const never = await exec('await new Promise(() => {})')
    equal([never.exitCode, never.stopped], [1, undefined])
    includes(never.stderr, 'waits for something that never comes')
    // What it leaves behind is cut off.
    equal(texts(await exec('setTimeout(() => console.log("late"), 60_000); return 1')), [0, '1\n', ''])
  },
  'ends at once where it wants to': async (exec) => {
    equal(texts(await exec('console.log("a"); try { exit(4) } catch {} console.log("b"); for (;;) await 0')), [
      4,
      'a\n',
      '',
    ])
    equal((await exec('await sleep(1); exit()')).exitCode, 0)
  },
  'encodes and decodes UTF-8': async (exec) => {
    const program = `
      const bytes = new TextEncoder().encode('aü\\0😀')
      return [[...bytes], new TextDecoder().decode(bytes), new TextDecoder().decode(bytes.subarray(1, 3)),
        new TextDecoder().decode(new Uint8Array([255]))]
    `
    const { stdout } = await exec(program)
    equal(JSON.parse(stdout), [[97, 195, 188, 0, 240, 159, 152, 128], 'aü\0😀', 'ü', '\ufffd'])
  },
  'leaves the next program its calls, whatever one left unanswered': async (exec) => {
    const never = (): Promise<unknown> => new Promise(() => {})
    equal((await exec('for (let i = 0; i < 200; i++) callTool("never"); return 1', { call: never })).exitCode, 0)
    const call = async (name: string): Promise<unknown> => name
    equal((await exec('return await callTool("next")', { call })).stdout.trim(), '"next"')
  },
  'keeps nothing of one program for the next': async (exec) => {
    await exec('globalThis.kept = 1; Array.prototype.kept = 2; Object.prototype.kept = 3')
    equal((await exec('return [typeof kept, [].kept, ({}).kept]')).stdout.trim(), '["undefined",null,null]')
  },
}

export const javascriptCases = (make: () => Sandbox): readonly ContractCase[] =>
  Object.entries(cases).map(([name, run]) =>
    contractCase(name, async () => {
      const sandbox = make()
      try {
        await run((command, request) => sandbox.exec({ timeoutMs: 20_000, ...request, command }))
      } finally {
        await sandbox.dispose()
      }
    }),
  )
