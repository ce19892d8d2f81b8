// `gzip`, `gunzip` and `zcat`, over the compression of the runtime.
import type { Command } from 'just-bash/browser'
import { joinBytes } from '../../../../src/stream/bytes.ts'
import { binaryToBytes, bytesToBinary } from '../vfs-bridge.ts'
import { readOptions } from '../commands/options.ts'
import { binary, inputBinary, refused } from '../commands/result.ts'
import type { Context, Result } from '../commands/result.ts'

/** The most bytes that anything is compressed from or to. */
export const maxArchive: number = 10 * 2 ** 20

const table = {
  flags: 'cdfknqv123456789',
  values: '',
  long: {
    stdout: 'c',
    'to-stdout': 'c',
    decompress: 'd',
    uncompress: 'd',
    force: 'f',
    keep: 'k',
    best: '9',
    fast: '1',
  },
}

export class ArchiveError extends Error {}

/** Compresses, or takes apart; `ArchiveError` for what is not gzip, or too much. */
export async function gzipped(bytes: Uint8Array, isBack: boolean): Promise<Uint8Array> {
  if (typeof CompressionStream === 'undefined') throw new ArchiveError('this runtime has no compression')
  if (bytes.length > maxArchive) throw new ArchiveError(`more than ${maxArchive} bytes`)
  const stream = isBack ? new DecompressionStream('gzip') : new CompressionStream('gzip')
  const reader = new Blob([new Uint8Array(bytes)]).stream().pipeThrough(stream).getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw new ArchiveError('not in gzip format')
    })
    if (done) return joinBytes(chunks)
    size += value.length
    chunks.push(value)
    if (size <= maxArchive) continue
    await reader.cancel().catch(() => undefined)
    throw new ArchiveError(`more than ${maxArchive} bytes come out of it`)
  }
}

const command = (name: string, always: string): Command => ({
  name,
  execute: async (args, context) => {
    const { flags, rest, wrong } = readOptions([always, ...args].filter(Boolean), table, true)
    if (wrong !== undefined) return refused(name, `invalid option: ${wrong}`)
    return run({ name, isBack: flags.has('d'), flags, files: rest }, context)
  },
})

export const gzip: Command = command('gzip', '')
export const gunzip: Command = command('gunzip', '-d')
export const zcat: Command = command('zcat', '-dc')

interface Job {
  readonly name: string
  readonly isBack: boolean
  readonly flags: ReadonlySet<string>
  readonly files: readonly string[]
}

async function run({ name, isBack, flags, files }: Job, context: Context): Promise<Result> {
  let [stdout, stderr] = ['', '']
  for (const file of files.length > 0 ? files : ['-']) {
    try {
      if (file === '-') stdout += bytesToBinary(await gzipped(binaryToBytes(inputBinary(context.stdin)), isBack))
      else stdout += await onFile(file, { isBack, flags }, context)
    } catch (error) {
      stderr += `${name}: ${file === '-' ? 'stdin' : file}: ${reasonOf(error)}\n`
    }
    if (stdout.length > maxArchive) return refused(name, `more than ${maxArchive} bytes`)
  }
  return binary(stdout, stderr, stderr === '' ? 0 : 1)
}

/** What a person should read of a fault. */
export function reasonOf(error: unknown): string {
  if (error instanceof ArchiveError) return error.message
  if (error instanceof Error && 'said' in error) return String(error.said)
  return error instanceof Error && error.message.startsWith('ENOENT') ? 'No such file or directory' : 'cannot be used'
}

/** Gives what is to be printed. */
async function onFile(
  file: string,
  { isBack, flags }: Pick<Job, 'isBack' | 'flags'>,
  { fs, cwd }: Context,
): Promise<string> {
  const from = fs.resolvePath(cwd, file)
  if (isBack && !flags.has('c') && !/\.(gz|tgz)$/.test(from)) throw new ArchiveError('unknown suffix -- ignored')
  const made = await gzipped(await fs.readFileBuffer(from), isBack)
  if (flags.has('c')) return bytesToBinary(made)
  const to = isBack ? from.replace(/\.gz$/, '').replace(/\.tgz$/, '.tar') : `${from}.gz`
  if (!flags.has('f') && (await fs.exists(to)))
    throw new ArchiveError('the file it would make is there already; use -f')
  await fs.writeFile(to, made)
  if (!flags.has('k')) await fs.rm(from)
  return ''
}
