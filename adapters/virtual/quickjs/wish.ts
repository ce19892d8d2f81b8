// What programs ask of the world: files, tools, the network, time. The words are a program's; each is checked.
import { sentError } from '../../../src/remote/sent-error.ts'
import { SameloopError } from '../../../src/error/error.ts'
import type { Host } from '../../../src/host/host.ts'
import { jsonText } from '../../../src/json/text.ts'
import { own } from '../../../src/json/value.ts'
import type { Json } from '../../../src/json/value.ts'
import type { Program } from '../../../src/sandbox/interpreter.ts'
import { vfsError } from '../../../src/vfs/error.ts'
import { resolvePath } from '../../../src/vfs/path.ts'
import { readText as textOf } from '../../../src/vfs/text.ts'
import type { Vfs, VfsEntry, VfsWriteOptions } from '../../../src/vfs/vfs.ts'
import { entriesOf } from '../../../src/vfs/walk.ts'
import { readJson, readObject, readText } from './machine.ts'
import type { Answer } from './machine.ts'

export interface Wish {
  readonly kind: unknown
  /** JSON texts. */
  readonly texts: readonly unknown[]
  readonly bytes: Uint8Array<ArrayBuffer> | undefined
}

export interface Granting {
  readonly program: Program
  readonly host: Host
  /** Aborts with the program, or when its answer is not wanted any more. */
  readonly signal: AbortSignal
}

type Granted = Omit<Answer, 'id' | 'isGood'>

/** Bytes of a file, and characters of any answer, that a program is given at once. */
const maxBytes = 2 ** 23
const maxEntries = 10_000
const modes = new Set<unknown>(['overwrite', 'create', 'append'])

/** Never rejects: a fault is an answer, too. */
export async function grant(wish: Wish, granting: Granting): Promise<Omit<Answer, 'id'>> {
  try {
    const granted = await grantOne(wish, granting)
    if ((granted.text?.length ?? 0) > maxBytes)
      throw new SameloopError('tool-invalid-output', `The answer has more than ${maxBytes} characters`)
    return { isGood: true, ...granted }
  } catch (error) {
    const sent = sentError(error)
    const { message } = error instanceof SameloopError ? error : { message: own(sent, 'message') }
    const code = error instanceof SameloopError ? error.code : undefined
    return { isGood: false, text: JSON.stringify({ message, code }) }
  }
}

async function grantOne(wish: Wish, granting: Granting): Promise<Granted> {
  const { program } = granting
  if (wish.kind === 'timer') return wait(wish, granting)
  if (wish.kind === 'call') return call(wish, program)
  if (wish.kind === 'fetch') return request(wish, granting)
  if (!program.fs) throw new SameloopError('config-missing-capability', 'There are no files')
  const path = resolvePath(program.cwd, readText(wish.texts[0]))
  return fileWish(program.fs, path, { ...wish, ...granting })
}

const textAnswer = (value: unknown): Granted => ({ text: jsonText(value) })

function wait({ texts: [ms] }: Wish, { host, program, signal }: Granting): Promise<Granted> {
  const wanted = Number(readJson(ms))
  return new Promise((resolve) => {
    // One that would end after the program need not be kept: whoever gives the time ends the program.
    const cancel = host.timer(Math.min(wanted || 0, program.timeoutMs, 2 ** 31 - 1), () => resolve({}))
    signal.addEventListener('abort', cancel, { once: true })
  })
}

async function call({ texts: [name, input] }: Wish, program: Program): Promise<Granted> {
  if (!program.call) throw new SameloopError('config-missing-capability', 'There are no tools')
  const given = readJson(input)
  if (given === undefined)
    throw new SameloopError('tool-invalid-input', `Cannot call "${readText(name)}": its input nests too deep`)
  const result = await program.call(readText(name), given as Json)
  const text = jsonText(result)
  if (text === undefined && result !== undefined)
    throw new SameloopError('tool-invalid-output', `The result of "${readText(name)}" is no JSON`)
  return { text }
}

async function request({ texts: [url, given] }: Wish, { program, signal }: Granting): Promise<Granted> {
  if (!program.fetch) throw new SameloopError('config-missing-capability', 'There is no network')
  const options = readObject(given)
  const [method, headers, body] = ['method', 'headers', 'body'].map((key) => own(options, key))
  const pairs = Object.entries(headers ?? {}).map(([name, value]): [string, string] => [name, String(value)])
  const response = await program.fetch(readText(url), {
    ...(typeof method === 'string' && { method }),
    headers: pairs,
    ...(typeof body === 'string' && { body }),
    signal,
  })
  const { status, ok } = response
  const answer = { status, ok, url: response.url, headers: Object.fromEntries(response.headers) }
  return textAnswer({ ...answer, said: await bodyOf(response) })
}

/** As much as a program may be given; the rest is not read. */
async function bodyOf(response: Response): Promise<string> {
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
    if (done) return text + decoder.decode()
    text += decoder.decode(value, { stream: true })
    if (text.length <= maxBytes) continue
    await reader?.cancel().catch(() => undefined)
    throw new SameloopError('stream-too-large', `Cannot read the answer: it has more than ${maxBytes} characters`)
  }
}

type FileWish = Wish & Granting

async function fileWish(fs: Vfs, path: string, wish: FileWish): Promise<Granted> {
  const { kind, texts, bytes, signal } = wish
  const options = readObject(texts[1])
  switch (kind) {
    case 'readText':
      return textAnswer(await textOf(fs, path, { signal, maxBytes }))
    case 'read':
      return { bytes: await read(fs, path, { options, signal }) }
    case 'write':
      await fs.write(path, bytes ?? new Uint8Array(), { ...writeOptions(options), signal })
      return {}
    case 'list':
      return textAnswer(await list(fs, path, signal))
    case 'stat':
      return textAnswer(await fs.stat(path, { signal }))
    case 'exists':
      return textAnswer((await fs.stat(path, { signal })) !== undefined)
    case 'remove':
      await fs.rm(path, {
        recursive: own(options, 'recursive') === true,
        force: own(options, 'force') === true,
        signal,
      })
      return {}
    case 'mkdir':
      await fs.mkdir(path, { recursive: true, signal })
      return {}
    case 'rename':
      await fs.rename(path, resolvePath(wish.program.cwd, readText(texts[1])), { signal })
      return {}
    default:
      throw new SameloopError('sandbox-failed', 'The program asked for what there is not')
  }
}

const isAmount = (value: unknown): value is number => typeof value === 'number' && value >= 0

interface Reading {
  readonly options: object
  readonly signal: AbortSignal
}

async function read(fs: Vfs, path: string, { options, signal }: Reading): Promise<Uint8Array> {
  const [offset = 0, length] = ['offset', 'length'].map((key) => own(options, key))
  if (!isAmount(offset) || !(length === undefined || isAmount(length)))
    throw vfsError('EINVAL', path, { action: 'read', reason: 'offset and length must be numbers from 0' })
  const data = await fs.read(path, { offset, length: Math.min(length ?? Infinity, maxBytes + 1), signal })
  if (data.length <= maxBytes) return data
  const reason = `at most ${maxBytes} bytes are given at once; read it in parts with offset and length`
  throw vfsError('EFBIG', path, { action: 'read', reason })
}

function writeOptions(options: object): VfsWriteOptions {
  const [mode, ifMatch] = ['mode', 'ifMatch'].map((key) => own(options, key))
  return {
    parents: true,
    ...(modes.has(mode) && { mode: mode as VfsWriteOptions['mode'] }),
    ...(typeof ifMatch === 'string' && { ifMatch }),
  }
}

async function list(fs: Vfs, path: string, signal: AbortSignal): Promise<readonly VfsEntry[]> {
  const entries: VfsEntry[] = []
  for await (const entry of entriesOf(fs, path, { signal })) {
    if (entries.length === maxEntries)
      throw vfsError('EFBIG', path, { action: 'list', reason: `it has more than ${maxEntries} entries` })
    entries.push(entry)
  }
  return entries
}
