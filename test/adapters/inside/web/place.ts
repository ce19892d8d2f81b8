// Where the cases of a browser find room of their own: each a database or a directory that nothing else uses.

/** Part of every name, so that nothing of an earlier start is met. */
const start = crypto.randomUUID()
let count = 0

export const freshName = (): string => `test-${start}-${(count += 1)}`

/** Waits for a request that is not within the adapter. */
export const settled = <Value>(request: IDBRequest<Value>): Promise<Value> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })

/** Deletes a database that nobody holds open. */
export const removeDatabase = async (name: string): Promise<void> =>
  void (await settled(indexedDB.deleteDatabase(name)))
