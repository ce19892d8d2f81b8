// Pyodide as an interpreter: one Python for one program, which is over with it.
import { jsonText, parseJson } from '../../../src/json/text.ts'
import type { Json } from '../../../src/json/value.ts'
import { SameloopError } from '../../../src/error/error.ts'
import { own } from '../../../src/json/value.ts'
import type { Ending, Interpreter, Program } from '../../../src/sandbox/interpreter.ts'
import type { Vfs } from '../../../src/vfs/vfs.ts'
import { sentError } from '../../../src/remote/sent-error.ts'
import { copyIn } from './copy-in.ts'
import { pythonFacts } from './facts.ts'
import { keepFiles } from './keep.ts'
import type { Keeper } from './keep.ts'
import type { EmscriptenFs, Pyodide } from './pyodide.ts'

type Ask = (kind: unknown, ...texts: readonly unknown[]) => Promise<string>
type Run = (source: string, settings: string, ask: Ask) => Promise<unknown>

/** Characters of a result that a program is given at once. */
const maxAnswer = 2 ** 23

/** It rejects where Python ended with the program: by an abort of its engine, or deeper than its stack. */
export function pythonInterpreter(pyodide: Pyodide): Interpreter {
  return { ...pythonFacts, run: (program) => runProgram(pyodide, program) }
}

async function runProgram(pyodide: Pyodide, program: Program): Promise<Ending> {
  const { FS: fs } = pyodide
  const { fs: files, command, cwd, env } = program
  connectStreams(pyodide, program)
  if (files) await bring(fs, program, files)
  fs.mkdirTree(cwd)
  const keeper = files && keepFiles(fs, files)
  const run = pyodide.globals.get('sameloop_run') as Run
  pyodide.globals.delete('sameloop_run')
  const said = await run(command, JSON.stringify({ cwd, env }), askFor(program, keeper))
  return kept(program, keeper, readEnding(said))
}

async function bring(fs: EmscriptenFs, { signal, output }: Program, files: Vfs): Promise<void> {
  try {
    const left = await copyIn(fs, files, signal)
    if (left)
      output(
        'stderr',
        `Not all files are there: ${left.count} are left out, for example "${left.path}"; use load_file\n`,
      )
  } catch {
    output('stderr', 'The files could not be read\n')
  }
}

function connectStreams(pyodide: Pyodide, { stdin, output }: Program): void {
  let rest: Uint8Array | undefined = stdin
  pyodide.setStdin({
    isatty: false,
    stdin: () => {
      const given = rest
      rest = undefined
      return given?.length ? given : undefined
    },
  })
  const stream = (name: 'stdout' | 'stderr') => {
    const decoder = new TextDecoder()
    return {
      isatty: false,
      write: (bytes: Uint8Array): number => {
        output(name, decoder.decode(bytes, { stream: true }))
        return bytes.length
      },
    }
  }
  pyodide.setStdout(stream('stdout'))
  pyodide.setStderr(stream('stderr'))
}

/** What the driver said; what says something else is no driver of ours. */
function readEnding(said: unknown): Ending {
  const parsed = typeof said === 'string' ? parseJson(said) : undefined
  const ending = parsed?.ok ? parsed.value : undefined
  const [exitCode, isLimit] = [own(ending, 0), own(ending, 1)]
  if (typeof exitCode !== 'number') return { exitCode: 1 }
  return { exitCode, ...(isLimit === true && { stopped: 'limit' }) }
}

async function kept({ output }: Program, keeper: Keeper | undefined, ending: Ending): Promise<Ending> {
  const failures = (await keeper?.finish()) ?? []
  for (const words of failures) output('stderr', `${words}\n`)
  return failures.length > 0 && ending.exitCode === 0 ? { ...ending, exitCode: 1 } : ending
}

/** What the program asks for; it never rejects. */
function askFor(program: Program, keeper: Keeper | undefined): Ask {
  return async (kind, ...texts) => {
    try {
      const value = kind === 'load' ? await load(program, keeper, texts[0]) : await call(program, texts)
      return `{"ok":true${value === undefined ? '' : `,"value":${value}`}}`
    } catch (error) {
      const sent = sentError(error)
      const { message } = error instanceof SameloopError ? error : { message: own(sent, 'message') }
      return JSON.stringify({ ok: false, message, code: error instanceof SameloopError ? error.code : undefined })
    }
  }
}

/** The result as JSON text; `undefined` where there is none. */
async function call({ call: callTool }: Program, [name, input]: readonly unknown[]): Promise<string | undefined> {
  if (!callTool) throw new SameloopError('config-missing-capability', 'There are no tools')
  const parsed = typeof input === 'string' ? parseJson(input) : undefined
  if (typeof name !== 'string' || !parsed?.ok)
    throw new SameloopError(
      'tool-invalid-input',
      'Cannot call a tool: its input must be JSON that nests 500 deep at most',
    )
  const result = await callTool(name, parsed.value as Json)
  const text = jsonText(result)
  if (text === undefined && result !== undefined)
    throw new SameloopError('tool-invalid-output', `The result of "${name}" is no JSON`)
  if ((text?.length ?? 0) > maxAnswer)
    throw new SameloopError('tool-invalid-output', `The answer has more than ${maxAnswer} characters`)
  return text
}

async function load({ fs: files, signal }: Program, keeper: Keeper | undefined, path: unknown): Promise<undefined> {
  if (!files || !keeper) throw new SameloopError('config-missing-capability', 'There are no files')
  keeper.place(String(path), await files.read(String(path), { signal }))
}
