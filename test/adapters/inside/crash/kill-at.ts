// Ends this process, as nothing can be prepared for, at one of the things it does to the disk.
import type * as Disk from 'node:fs/promises'

/** What changes the disk, but for what an open file does. */
const names = ['open', 'rename', 'link', 'unlink', 'mkdir', 'rm', 'rmdir', 'utimes'] as const

const changes = (name: string, flags: unknown): boolean => name !== 'open' || (flags !== 'r' && flags !== undefined)

/** Kills at the change number `at`, before it is made; a write is half made. Never for 0. */
export function killAt(at: number): void {
  const disk = process.getBuiltinModule('node:fs/promises') as unknown as Record<string, (...args: never[]) => unknown>
  let left = at
  const isNow = (): boolean => at > 0 && (left -= 1) === 0
  const kill = (): Promise<never> => {
    process.kill(process.pid, 'SIGKILL')
    return new Promise(() => {})
  }
  for (const name of names) {
    const real = disk[name] as (...args: readonly unknown[]) => Promise<unknown>
    disk[name] = (async (...args: readonly unknown[]) => {
      if (changes(name, args[1]) && isNow()) return kill()
      const made = await real.apply(disk, [...args])
      if (name === 'open') tearWrites(made as Disk.FileHandle, { isNow, kill })
      return made
    }) as never
  }
}

interface Killer {
  isNow(): boolean
  kill(): Promise<never>
}

function tearWrites(handle: Disk.FileHandle, { isNow, kill }: Killer): void {
  const write = handle.write.bind(handle) as (
    data: Uint8Array,
    offset?: number,
    length?: number,
    position?: number | null,
  ) => ReturnType<Disk.FileHandle['write']>
  handle.write = (async (data: Uint8Array, offset = 0, length = data.length - offset, position?: number) => {
    if (!isNow()) return write(data, offset, length, position ?? null)
    await write(data, offset, length >> 1, position ?? null)
    return kill()
  }) as never
}
