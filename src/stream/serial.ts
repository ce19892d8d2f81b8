// Work that must not overlap: one after the other, in the order it came.

/** A queue: each piece of work starts when the one before it has ended, however it ended. */
export function serial(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = last.then(work)
    last = result.catch(() => undefined)
    return result
  }
}
