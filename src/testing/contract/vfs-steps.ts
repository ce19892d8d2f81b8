// What the cases of the contract for files do again and again.
import type { ErrorCode } from '../../error/codes.ts'
import { isSameloopError } from '../../error/error.ts'
import type { Vfs, VfsStat } from '../../vfs/vfs.ts'

export const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
export const text = async (vfs: Vfs, path: string): Promise<string> => new TextDecoder().decode(await vfs.read(path))
export const put = (vfs: Vfs, path: string, content: string = path): Promise<VfsStat> =>
  vfs.write(path, encode(content), { parents: true })

export async function refuses(
  work: Promise<unknown>,
  codes: ErrorCode | readonly ErrorCode[],
  what: string,
): Promise<void> {
  const wanted: readonly string[] = typeof codes === 'string' ? [codes] : codes
  const thrown = await work.then(
    () => undefined,
    (error: unknown) => ({ error }),
  )
  if (thrown === undefined) throw new Error(`${what}: wanted ${wanted.join(' or ')}, but it went through`)
  if (!isSameloopError(thrown.error))
    throw new Error(`${what}: wanted a SameloopError with ${wanted.join(' or ')}`, { cause: thrown.error })
  if (!wanted.includes(thrown.error.code))
    throw new Error(`${what}: wanted ${wanted.join(' or ')}, got ${thrown.error.code}`, { cause: thrown.error })
  if (typeof thrown.error.data.errno !== 'string') throw new Error(`${what}: the error has no data.errno`)
}

export async function names(vfs: Vfs, path: string): Promise<readonly string[]> {
  return (await vfs.list(path)).entries.map((entry) => entry.name + (entry.type === 'dir' ? '/' : ''))
}
