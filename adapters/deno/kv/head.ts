// What a database knows of one run beside its records, and how it is changed: by one at a time.
import { SameloopError } from '../../../src/error/error.ts'
import { isObject } from '../../../src/json/value.ts'
import type { Kv, KvAtomic, KvKey } from './kv.ts'

export interface Head {
  readonly run: string
  /** Of this log: the records of one that was deleted are never its own. */
  readonly log: string
  readonly epoch: number
  readonly lastSeq: number
  readonly wakeAt?: number | undefined
}

export interface StampedHead {
  readonly head: Head | undefined
  readonly stamp: string | null
}

export async function readHead(kv: Kv, key: KvKey): Promise<StampedHead> {
  const { value, versionstamp } = await kv.get(key)
  return { head: versionstamp === null ? undefined : headOf(value), stamp: versionstamp }
}

export function headOf(value: unknown): Head {
  const { run, log, epoch, lastSeq, wakeAt } = isObject(value) ? value : {}
  if (typeof run !== 'string' || typeof log !== 'string' || typeof epoch !== 'number' || typeof lastSeq !== 'number')
    throw new SameloopError('journal-invalid', 'Cannot read the log: what the database knows of a run is incomplete')
  return { run, log, epoch, lastSeq, wakeAt: typeof wakeAt === 'number' ? wakeAt : undefined }
}

/** A change of a head that takes place only where nobody else changed it since it was read. */
export const onlyAfter = (kv: Kv, key: KvKey, { stamp }: StampedHead): KvAtomic =>
  kv.atomic().check({ key, versionstamp: stamp })

export const newHead = (run: string): Head => ({ run, log: crypto.randomUUID(), epoch: 0, lastSeq: 0 })

/** Changes the head, again and again where others do so at the same moment. */
export async function changeHead(
  kv: Kv,
  { key, run }: { readonly key: KvKey; readonly run: string },
  next: (head: Head) => Head,
): Promise<Head> {
  for (;;) {
    const found = await readHead(kv, key)
    const head = next(found.head ?? newHead(run))
    const { ok } = await onlyAfter(kv, key, found).set(key, head).commit()
    if (ok) return head
  }
}
