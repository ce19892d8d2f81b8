// Changes of the same files one after the other, for all who change them from this program.

const last = new Map<string, Promise<void>>()

/** Runs `work` when all that came before for one of the keys has ended, however it ended. */
export async function inTurn<Result>(keys: readonly string[], work: () => Promise<Result>): Promise<Result> {
  const result = Promise.all(keys.map(async (key) => last.get(key))).then(work)
  const ended = result.then(
    () => {},
    () => {},
  )
  for (const key of keys) last.set(key, ended)
  try {
    return await result
  } finally {
    for (const key of keys) if (last.get(key) === ended) last.delete(key)
  }
}
