// What programs in Python can do, beside what every sandbox can: in every runtime that has them.
import { agent } from '../../../../src/agent/agent.ts'
import { builtinTools } from '../../../../src/builtin/builtin.ts'
import { codeTools } from '../../../../src/builtin/code-tools.ts'
import { SameloopError } from '../../../../src/error/error.ts'
import { webHost } from '../../../../src/host/web-host.ts'
import type { Json } from '../../../../src/json/value.ts'
import { scriptedModel } from '../../../../src/model/scripted-model.ts'
import type { ExecRequest, ExecResult, Sandbox } from '../../../../src/sandbox/sandbox.ts'
import { check, equal, includes } from '../../../../src/testing/assertion.ts'
import type { ContractCase } from '../../../../src/testing/contract/case.ts'
import { memoryFiles } from '../../../../src/vfs/memory.ts'
import { exists, readText } from '../../../../src/vfs/text.ts'
import { readOnly } from '../../../../src/wrapper/read-only.ts'
import { contractCase } from '../report.ts'

type Exec = (command: string, request?: Partial<ExecRequest>) => Promise<ExecResult>

const texts = ({ exitCode, stdout, stderr }: ExecResult): readonly unknown[] => [exitCode, stdout, stderr]

const cases: Readonly<Record<string, (exec: Exec, sandbox: Sandbox) => Promise<void>>> = {
  'prints the value of the last line, as JSON where it can be': async (exec) => {
    equal(texts(await exec('print("first")\n{"a": [1, True, None, "ü"]}')), [
      0,
      'first\n{"a": [1, true, null, "ü"]}\n',
      '',
    ])
    equal(texts(await exec('x = 1')), [0, '', ''])
    equal(texts(await exec('print("one")')), [0, 'one\n', ''])
    equal((await exec('{1, 2}')).stdout, '{1, 2}\n')
    equal((await exec('import asyncio\nasync def main(): return 5\nawait main() + asyncio.run(main())')).stdout, '10\n')
  },
  'says what was not caught, with the lines of the program alone': async (exec) => {
    const { exitCode, stderr, stopped } = await exec('import json\ndef f():\n  json.loads("{")\nf()')
    equal([exitCode, stopped], [1, undefined])
    includes(stderr, 'line 3, in f')
    includes(stderr, 'JSONDecodeError: ')
    check(!/python3|sameloop|pyodide/.test(stderr), 'no place outside of the program')
    const syntax = await exec('a = 1\nb = ;')
    equal(syntax.exitCode, 1)
    includes(syntax.stderr, 'File "program.py", line 2')
    includes(syntax.stderr, 'SyntaxError')
    equal((await exec('import os\nos._exit(7)')).exitCode, 7)
  },
  'does to the files of the environment what a program does to its own': async (exec) => {
    const fs = memoryFiles({
      files: { '/in/a.txt': 'one ✓', '/in/old': 'x', '/in/more/deep': 'y', '/top.py': 'word = 5' },
    })
    const program = `
import os, pathlib, shutil, tempfile, sys
sys.path.insert(0, "/")
import top
kept = open("late.txt", "w")
kept.write("late")
pathlib.Path("made").mkdir()
pathlib.Path("made/b.bin").write_bytes(bytes([0, 255]))
open("log", "a").write("1")
with open("log", "a") as log: log.write("2")
os.remove("old")
os.rename("a.txt", "made/a.txt")
shutil.move("more", "other")
with tempfile.NamedTemporaryFile("w", delete=False) as draft: draft.write("drafted")
shutil.move(draft.name, "/final.txt")
with open("cut", "w") as cut:
    cut.write("12345")
    cut.truncate(2)
os.symlink("made/b.bin", "link")
[top.word, sorted(os.listdir(".")), open("made/a.txt").read()]
`
    const { stdout, stderr } = await exec(program, { fs, cwd: '/in' })
    equal(stderr, '')
    equal(JSON.parse(stdout || 'null'), [5, ['cut', 'late.txt', 'link', 'log', 'made', 'other'], 'one ✓'])
    const names = async (path: string): Promise<readonly string[]> =>
      (await fs.list(path)).entries.map(({ name }) => name)
    equal(await names('/'), ['final.txt', 'in', 'top.py'])
    equal(await names('/in'), ['cut', 'late.txt', 'log', 'made', 'other'])
    equal([...(await fs.read('/in/made/b.bin'))], [0, 255])
    const read = ['/in/late.txt', '/in/log', '/in/made/a.txt', '/in/other/deep', '/final.txt', '/in/cut']
    equal(await Promise.all(read.map((path) => readText(fs, path))), ['late', '12', 'one ✓', 'y', 'drafted', '12'])
  },
  'says which files could not be kept': async (exec) => {
    const fs = readOnly(memoryFiles({ files: { '/a': 'x' } }))
    const { exitCode, stdout, stderr } = await exec('open("/b", "w").write("y")\nprint(open("/a").read())', { fs })
    equal([exitCode, stdout], [1, 'x\n'])
    includes(stderr, '"/b"')
    includes(stderr, 'read-only')
  },
  'has some of very many files, and loads others when it is asked': async (exec) => {
    const many = Array.from({ length: 1100 }, (_, at) => [`/d/${String(at).padStart(4, '0')}`, `text ${at}`])
    const fs = memoryFiles({ files: { ...Object.fromEntries(many), '/node_modules/x': 'left' } })
    const program = `
import os
had = [len(os.listdir("/d")), os.path.exists("/node_modules")]
await load_file("/d/1099")
try: await load_file("/d/none")
except OSError as error: had.append("no such" in str(error))
[*had, open("/d/1099").read()]
`
    const { stdout, stderr } = await exec(program, { fs })
    equal(stdout, '[1000, false, true, "text 1099"]\n')
    includes(stderr, '100 are left out')
    equal((await fs.list('/d', { limit: 2000 })).entries.length, 1100)
  },
  'calls tools, and raises where a call fails': async (exec) => {
    const called: unknown[] = []
    const call = async (name: string, input: Json): Promise<unknown> => {
      called.push([name, input])
      if (name === 'refused') throw new SameloopError('tool-denied', 'Cannot call "refused": a person said no')
      return name === 'nothing' ? undefined : { name, input, list: [1, null, 'ü'] }
    }
    const program = `
import asyncio
first, second = await asyncio.gather(tools.echo(a=1), call_tool("rest://shop.get", {"id": 2}))
try: await tools.refused()
except ToolError as error: said = [error.code, str(error)]
[first, second["name"], await tools.nothing({}), said]
`
    const { exitCode, stdout, stderr } = await exec(program, { call })
    equal([exitCode, stderr], [0, ''])
    equal(JSON.parse(stdout), [
      { name: 'echo', input: { a: 1 }, list: [1, null, 'ü'] },
      'rest://shop.get',
      null,
      ['tool-denied', 'Cannot call "refused": a person said no'],
    ])
    equal(called, [
      ['echo', { a: 1 }],
      ['rest://shop.get', { id: 2 }],
      ['refused', {}],
      ['nothing', {}],
    ])
    includes((await exec('await tools.echo()')).stderr, 'ToolError: There are no tools')
  },
  'keeps nothing of one program for the next': async (exec) => {
    await exec('import builtins, json\nbuiltins.kept = 1\njson.dumps = None\nopen("/tmp/kept", "w").write("x")')
    const { stdout } = await exec(
      'import json, os\njson.dumps([hasattr(__builtins__, "kept"), os.path.exists("/tmp/kept")])',
    )
    equal(stdout, '"[false, false]"\n')
    const [one, other] = [await exec('import random\nrandom.random()'), await exec('import random\nrandom.random()')]
    check(one.stdout !== other.stdout, 'other random numbers in each program')
  },
  'is a tool of an agent, whose calls go the way of every call': async (_, sandbox) => {
    const fs = memoryFiles({ files: { '/prices.json': '{"tea":3}' } })
    const env = { host: webHost, fs, code: sandbox }
    const code = `
import json
prices = json.load(open("prices.json"))
await tools.fs_write(path="order.txt", contents="20 tea")
prices["tea"] * 20
`
    const asked: string[] = []
    const { messages, status } = await agent({
      model: scriptedModel([{ calls: [{ name: 'run_python', input: { code } }] }, 'done']),
      env,
      tools: [...codeTools({ env }), ...builtinTools({ env, include: ['fs_write'] })],
      approve: ({ name }) => {
        asked.push(name)
        return 'approve'
      },
    }).run('Order tea').result
    const part = messages.find(({ role }) => role === 'tool')?.content[0]
    equal([status, part?.type === 'tool-result' && part.content], ['done', [{ type: 'text', text: '60' }]])
    equal([asked, (await exists(fs, '/order.txt')) && (await readText(fs, '/order.txt'))], [['fs_write'], '20 tea'])
  },
}

export const pythonCases = (make: () => Sandbox): readonly ContractCase[] =>
  Object.entries(cases).map(([name, run]) =>
    contractCase(name, async () => {
      const sandbox = make()
      try {
        await run((command, request) => sandbox.exec({ timeoutMs: 20_000, ...request, command }), sandbox)
      } finally {
        await sandbox.dispose()
      }
    }),
  )
