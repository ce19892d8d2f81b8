// Programs in Python that want to break the sandbox, or out of it: each ends in band, and the next program works.
import type { ExecRequest, ExecResult, Sandbox } from '../../../../src/sandbox/sandbox.ts'
import { check, equal } from '../../../../src/testing/assertion.ts'
import type { ContractCase } from '../../../../src/testing/contract/case.ts'
import { contractCase } from '../report.ts'
import { sampled } from '../sampled.ts'

type Wanted =
  /** A limit, its time or the end of its Python ended it. */
  | 'stopped'
  /** It failed by itself, or was ended. */
  | 'failed'
  /** It ended well and printed this. */
  | { readonly prints: string }

type Row = readonly [name: string, program: string, wanted: Wanted]

const ok: Wanted = { prints: '"ok"' }

/** Python that looks for a way into JavaScript, and what it would do there. */
const escape = (script: string): string => `
from pyodide.ffi import to_js
try:
    found = to_js([1]).constructor.constructor(${JSON.stringify(script)})()
    said = str(found)
except BaseException as error:
    said = type(error).__name__
said
`

const computing: readonly Row[] = [
  ['a loop', 'while True: pass', 'stopped'],
  [
    'a loop that catches everything',
    'while True:\n  try:\n    while True: pass\n  except BaseException: pass',
    'stopped',
  ],
  ['a loop that waits', 'import asyncio\nwhile True: await asyncio.sleep(0)', 'stopped'],
  ['a generator without end', 'def all():\n  while True: yield 1\nsum(all())', 'stopped'],
  ['a list without end', 'import itertools\nlist(itertools.count())', 'stopped'],
  ['backtracking', 'import re\nre.match(r"(a+)+$", "a" * 60 + "b")', 'stopped'],
  ['a power', '9 ** 9 ** 9', 'stopped'],
  ['sleep', 'import time\ntime.sleep(600)', 'stopped'],
  ['a loop in the value of its last line', 'class A:\n  def __repr__(self):\n    while True: pass\nA()', 'stopped'],
  ['a loop in an error', 'class E(Exception):\n  def __str__(self):\n    while True: pass\nraise E()', 'stopped'],
  [
    'a loop at its exit',
    'import atexit, gc\nclass A:\n  def __del__(self):\n    while True: pass\na = A()\na.a = a\ndel a',
    'stopped',
  ],
]

const holding: readonly Row[] = [
  ['a text', 'x = "x"\nwhile True: x += x', 'failed'],
  ['bytes', 'bytearray(2 ** 31)', 'failed'],
  ['objects', 'a = []\nwhile True: a.append([0] * 10_000)', 'stopped'],
  ['a file', 'f = open("/big", "wb")\nwhile True: f.write(b"x" * 10_000_000)', 'failed'],
  ['a file with a hole', 'f = open("/big", "wb")\nf.seek(2 ** 40)\nf.write(b"x")\nf.flush()', 'failed'],
  ['a file made longer', 'import os\nopen("/big", "w")\nos.truncate("/big", 2 ** 40)', 'failed'],
  ['very many files', 'i = 0\nwhile True:\n  i += 1\n  open(f"/tmp/{i}", "w").write("x")', 'stopped'],
  ['output', 'while True: print("x" * 100_000)', 'stopped'],
  ['one long line', 'print("x" * 50_000_000)', 'failed'],
]

const nesting: readonly Row[] = [
  ['calls', 'def f(): f()\nf()', 'stopped'],
  ['calls beyond the limit', 'import sys\nsys.setrecursionlimit(10 ** 9)\ndef f(): f()\nf()', 'stopped'],
  ['lists', 'a = []\nfor _ in range(100_000): a = [a]\na', 'failed'],
  ['source', 'eval("(" * 100_000 + ")" * 100_000)', 'failed'],
  ['an input of a tool', 'a = {}\nfor _ in range(900): a = {"a": a}\nawait tools.echo(a)', 'failed'],
  [
    'errors',
    'e = None\nfor _ in range(100_000):\n  n = ValueError("x" * 1000)\n  n.__cause__ = e\n  e = n\nraise e',
    'failed',
  ],
]

const leaving: readonly Row[] = [
  ['by exit', 'import sys\nsys.exit(3)', 'failed'],
  ['by _exit', 'import os\nos._exit(3)', 'failed'],
  ['by _exit itself', 'import posix\nposix._exit(3)', 'failed'],
  ['by abort', 'import os\nos.abort()', 'failed'],
  ['by a signal', 'import os, signal\nos.kill(os.getpid(), signal.SIGKILL)', 'failed'],
  ['by memory that is not its own', 'import ctypes\nctypes.string_at(2 ** 32 - 8, 64)', 'failed'],
  ['by writing all over memory', 'import ctypes\nctypes.memset(0, 255, 2 ** 24)', 'failed'],
  ['by input that there is not', 'input()', 'failed'],
  ['by a thread', 'import threading\nthreading.Thread(target=print).start()', 'failed'],
  ['by a process', 'import subprocess\nsubprocess.run(["ls"])', 'failed'],
  ['by fork', 'import os\nos.fork()', 'failed'],
]

const reaching: readonly Row[] = [
  ['functions of JavaScript', escape('return typeof process + typeof fetch'), { prints: '"JsException"' }],
  ['a module of JavaScript', 'import js\njs.fetch', 'failed'],
  ['the engine', 'import pyodide_js', 'failed'],
  [
    'the engine another way',
    'import _pyodide_core\n[n for n in dir(_pyodide_core) if "js" in n.lower()]\nimport pyodide.code\npyodide.code.run_js("1")',
    'failed',
  ],
  ['a URL', 'import urllib.request\nurllib.request.urlopen("http://127.0.0.1:9/")', 'failed'],
  ['a URL by the engine', 'from pyodide.http import pyfetch\nawait pyfetch("http://127.0.0.1:9/")', 'failed'],
  ['a socket', 'import socket\ns = socket.create_connection(("127.0.0.1", 9), 1)\ns.send(b"x")\ns.recv(1)', 'failed'],
  ['a package', 'import micropip', 'failed'],
  [
    'the machine',
    'import os\nassert not any(os.path.exists(p) for p in ["/etc/passwd", "/root", "/proc/1", "/usr"])\n"ok"',
    ok,
  ],
  ['variables', 'import os\nassert os.environ.pop("PATH") == "/" and os.environ["HOME"] == "/tmp"\n"ok"', ok],
]

const meddling: readonly Row[] = [
  ['with what prints', 'import sys\nsys.stdout = sys.stderr = None\nprint("x")\n1 / 0', 'failed'],
  [
    'with built-ins',
    'import builtins\nfor n in dir(builtins):\n  if n[0] != "_": setattr(builtins, n, None)',
    'failed',
  ],
  ['with its modules', 'import sys\nsys.modules.clear()\n"ok"', ok],
  [
    'with the loop of events',
    'import asyncio\nasyncio.get_event_loop().call_soon(lambda: 1 / 0)\nawait asyncio.sleep(0)\n"ok"',
    ok,
  ],
  [
    'with odd names of tools',
    'for n in [None, 7, {}, []]:\n  try: await call_tool(n)\n  except TypeError: pass\n"ok"',
    ok,
  ],
  [
    'with odd inputs',
    'try: await call_tool("echo", {"a": {1}})\nexcept TypeError: pass\nawait call_tool("echo", 7)',
    { prints: '7' },
  ],
  [
    'with calls that nobody waits for',
    'import asyncio\nfor i in range(5000): asyncio.ensure_future(call_tool("slow"))\n"ok"',
    ok,
  ],
  [
    'with odd paths',
    'for p in ["\\0", "/dev/none", "/proc/self/mem"]:\n  try: open(p, "w")\n  except (OSError, ValueError): pass\n"ok"',
    ok,
  ],
  ['with a path that its files do not take', 'open("x" * 10_000, "w").close()\n"ok"', 'failed'],
  [
    'with the folders of its own',
    'import shutil\nfor p in ["/lib", "/dev", "/proc", "/tmp"]: shutil.rmtree(p, ignore_errors=True)\n"ok"',
    ok,
  ],
]

const groups = { computing, holding, nesting, leaving, reaching, meddling }

/** So many programs there are. */
export const hostileCount: number = Object.values(groups).flat().length

const call: ExecRequest['call'] = async (name, input) => {
  if (name === 'slow') await new Promise<void>((resolve) => void setTimeout(resolve, 20))
  return input
}

/** In a page nothing tells that Python has ended: only its time does. */
const isPage = typeof document !== 'undefined'
const patienceMs = isPage ? 10_000 : 20_000

function judge({ exitCode, stdout, stderr, stopped }: ExecResult, wanted: Wanted): void {
  const said = JSON.stringify({ exitCode, stopped, stdout: stdout.slice(-300), stderr: stderr.slice(-300) })
  if (wanted === 'stopped')
    return check(exitCode !== 0 && stopped !== undefined, `an end by a limit or by its time, got ${said}`)
  if (wanted === 'failed') return check(exitCode !== 0 && (isPage || stopped !== 'timeout'), `a failure, got ${said}`)
  return check(exitCode === 0 && stdout.trim() === wanted.prints, `"${wanted.prints}", got ${said}`)
}

async function attack(sandbox: Sandbox, [name, command, wanted]: Row): Promise<void> {
  try {
    const timeoutMs = wanted === 'stopped' ? 1500 : patienceMs
    judge(await sandbox.exec({ command, call, timeoutMs }), wanted)
  } catch (error) {
    throw new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}

export const pythonHostileCases = (make: () => Sandbox): readonly ContractCase[] =>
  Object.entries(groups).map(([group, rows]) =>
    contractCase(`survives programs that break by ${group}`, async () => {
      const sandbox = make()
      for (const row of sampled(rows)) await attack(sandbox, row)
      const { exitCode, stdout } = await sandbox.exec({ command: 'print("hello")' })
      equal([exitCode, stdout], [0, 'hello\n'], 'The next program')
      await sandbox.dispose()
    }),
  )
