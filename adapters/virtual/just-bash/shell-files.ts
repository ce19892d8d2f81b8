// One tree for the shell: the files of the command at the root, and beside them what only a shell needs.
import type { IFileSystem } from 'just-bash/browser'
import type { Stream } from '../../../src/confined/output.ts'
import { webHost } from '../../../src/host/web-host.ts'
import { contentBytes, fileError, maxPath, resolveAgainst } from './vfs-bridge.ts'
import type { Looking } from './vfs-bridge.ts'

/** The shell's own directories. They hide what the command's files have there, and the root does not list them. */
const systemRoots = ['/bin', '/dev', '/proc', '/tmp', '/usr']

/** Where everything goes that the program prints, as the first statement of a script says. */
export const devices = { stdout: '/dev/.stdout', stderr: '/dev/.stderr' } as const

const printing = new Map<string, Stream>([
  [devices.stdout, 'stdout'],
  [devices.stderr, 'stderr'],
  ['/dev/stdout', 'stdout'],
  ['/dev/stderr', 'stderr'],
])

/** After so many operations the thread sees to other things, too: timers, aborts, what was printed. */
const operationsPerBreath = 200

export interface ShellFilesOptions {
  readonly ours: IFileSystem
  /** `/tmp` and the places of programs and devices, in memory. */
  readonly system: IFileSystem
  readonly print: (stream: Stream, bytes: Uint8Array) => void
}

const rootOf = (path: string): string | undefined =>
  systemRoots.find((root) => path === root || path.startsWith(`${root}/`))

interface Place {
  readonly path: string
  readonly files: IFileSystem
}

type Find = (given: string) => Promise<Place>
type Method<Name extends keyof IFileSystem> = NonNullable<IFileSystem[Name]>

/** Routes each operation by its path; to the outside it is one file system. */
export function shellFiles({ ours, system, print }: ShellFilesOptions): IFileSystem {
  let operations = 0
  const on: Find = async (given) => {
    operations += 1
    if (operations % operationsPerBreath === 0) await new Promise<void>((resolve) => void webHost.timer(0, resolve))
    const path = resolveAgainst('/', given)
    if (path.length > maxPath) throw fileError('EINVAL', given)
    return { path, files: rootOf(path) ? system : ours }
  }
  const toChange: Find = async (given) => {
    const place = await on(given)
    const root = rootOf(place.path)
    if (root && root !== '/tmp' && !place.path.startsWith('/dev/fd/')) throw fileError('EACCES', given)
    return place
  }
  return {
    ...reading(on),
    ...changing(toChange),
    ...writing(toChange, print),
    ...moving(on, toChange),
    resolvePath: resolveAgainst,
    getAllPaths: () => [],
    symlink: (_target, path) => refuse(path),
    link: (_existing, path) => refuse(path),
  }
}

const refuse = async (path: string): Promise<never> => {
  throw fileError('EPERM', path)
}

const isShown = (directory: string, name: string): boolean =>
  directory === '/' ? !systemRoots.includes(`/${name}`) : directory !== '/dev' || !name.startsWith('.')

/** An operation where its path leads. */
const at =
  <Rest extends unknown[], Result>(find: Find, work: (place: Place, ...rest: Rest) => Promise<Result>) =>
  async (given: string, ...rest: Rest): Promise<Result> =>
    work(await find(given), ...rest)

type Reading = Looking | 'utimes'

const reading = (on: Find): { readonly [Name in Reading]: Method<Name> } => ({
  readFile: at(on, ({ files, path }, options?: Parameters<IFileSystem['readFile']>[1]) =>
    files.readFile(path, options),
  ),
  readFileBytes: at(on, ({ files, path }) => files.readFileBytes!(path)),
  readFileBuffer: at(on, ({ files, path }) => files.readFileBuffer(path)),
  exists: async (given) => {
    // Asked before each command prints.
    if (given === devices.stdout || given === devices.stderr) return false
    const place = await on(given).catch(() => undefined)
    return place !== undefined && place.files.exists(place.path)
  },
  stat: at(on, ({ files, path }) => files.stat(path)),
  lstat: at(on, ({ files, path }) => files.lstat(path)),
  readdir: at(on, async ({ files, path }) => (await files.readdir(path)).filter((name) => isShown(path, name))),
  readdirWithFileTypes: at(on, async ({ files, path }) =>
    (await files.readdirWithFileTypes!(path)).filter(({ name }) => isShown(path, name)),
  ),
  readlink: at(on, ({ files, path }) => files.readlink(path)),
  realpath: at(on, ({ files, path }) => files.realpath(path)),
  utimes: at(on, ({ files, path }, atime: Date, mtime: Date) => files.utimes(path, atime, mtime)),
})

const changing = (toChange: Find): Pick<IFileSystem, 'mkdir' | 'rm' | 'chmod'> => ({
  mkdir: at(toChange, ({ files, path }, options?: Parameters<IFileSystem['mkdir']>[1]) => files.mkdir(path, options)),
  rm: at(toChange, ({ files, path }, options?: Parameters<IFileSystem['rm']>[1]) => files.rm(path, options)),
  chmod: at(toChange, ({ files, path }, mode: number) => files.chmod(path, mode)),
})

function writing(toChange: Find, print: ShellFilesOptions['print']): Pick<IFileSystem, 'writeFile' | 'appendFile'> {
  const write =
    (operation: 'writeFile' | 'appendFile'): IFileSystem['writeFile'] =>
    async (given, content, options) => {
      const device = resolveAgainst('/', given)
      const stream = printing.get(device)
      if (stream) return print(stream, contentBytes(content, options))
      if (device === '/dev/null') return
      const { path, files } = await toChange(given)
      await files[operation](path, content, options)
    }
  return { writeFile: write('writeFile'), appendFile: write('appendFile') }
}

function moving(on: Find, toChange: Find): Pick<IFileSystem, 'cp' | 'mv'> {
  return {
    cp: async (from, to, options) => {
      const [source, target] = [await on(from), await toChange(to)]
      if (source.files === target.files) await source.files.cp(source.path, target.path, options)
      else await copyAcross(source, target)
    },
    mv: async (from, to) => {
      const [source, target] = [await toChange(from), await toChange(to)]
      if (source.files === target.files) return source.files.mv(source.path, target.path)
      await copyAcross(source, target)
      await source.files.rm(source.path, { recursive: true })
    },
  }
}

/** A file, or a directory with all that is in it. */
async function copyAcross(from: Place, to: Place): Promise<void> {
  const { isDirectory } = await from.files.stat(from.path)
  if (!isDirectory) return to.files.writeFile(to.path, await from.files.readFileBuffer(from.path))
  await to.files.mkdir(to.path, { recursive: true })
  for (const name of await from.files.readdir(from.path))
    await copyAcross({ ...from, path: `${from.path}/${name}` }, { ...to, path: `${to.path}/${name}` })
}
