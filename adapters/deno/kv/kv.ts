// What is used of a Deno KV database; `Deno.openKv()` gives one.

export type KvKey = readonly (string | number)[]

export interface KvEntry {
  readonly key: readonly unknown[]
  readonly value: unknown
  /** `null` where there is nothing. */
  readonly versionstamp: string | null
}

export interface KvAtomic {
  check(...checks: { readonly key: KvKey; readonly versionstamp: string | null }[]): KvAtomic
  set(key: KvKey, value: unknown): KvAtomic
  delete(key: KvKey): KvAtomic
  commit(): Promise<{ readonly ok: boolean }>
}

export interface Kv {
  get(key: KvKey): Promise<KvEntry>
  list(
    selector: { readonly prefix: KvKey } | { readonly start: KvKey; readonly end: KvKey },
    options?: { readonly limit?: number; readonly reverse?: boolean },
  ): AsyncIterable<KvEntry>
  atomic(): KvAtomic
}

/** How many things are changed at once, below the 1,000 that a database takes. */
const changesAtOnce = 500

/** Deletes all below a key. */
export async function clear(kv: Kv, prefix: KvKey): Promise<void> {
  let atomic = kv.atomic()
  let count = 0
  for await (const { key } of kv.list({ prefix })) {
    atomic = atomic.delete(key as KvKey)
    if ((count += 1) % changesAtOnce !== 0) continue
    await atomic.commit()
    atomic = kv.atomic()
  }
  await atomic.commit()
}
