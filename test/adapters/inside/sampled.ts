// What is many: all of it in the long run, else a third in each kind of runtime, so that together they have all.

/** Put in by the bundler, where there is one. */
declare const LONG: boolean | undefined
declare const KIND: 'node' | 'deno' | 'browser' | 'workerd'

const thirds = { node: 0, deno: 1, browser: 2, workerd: 1 }

export const sampled = <Item>(all: readonly Item[]): readonly Item[] =>
  typeof LONG === 'undefined' || LONG ? all : all.filter((_, index) => index % 3 === thirds[KIND])
