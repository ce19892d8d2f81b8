// Places on the disk that last as long as the suite: the bundler empties its folder before the next.
import { mkdtemp } from 'node:fs/promises'
import { resolve } from 'node:path'
import { directoryFiles } from '../../../../adapters/node/files/directory-files.ts'
import type { Vfs } from '../../../../src/vfs/vfs.ts'

export const scratch = (): Promise<string> => mkdtemp(resolve('scratch-'))

export const freshFiles = async (): Promise<Vfs> => directoryFiles(await scratch())

export const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

export const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

/** The code of a rejection; `undefined` where there is none. */
export const codeOf = (work: Promise<unknown>): Promise<string | undefined> =>
  work.then(
    () => undefined,
    (thrown: unknown) => (thrown as { readonly code?: string }).code ?? String(thrown),
  )
