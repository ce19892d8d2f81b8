// Patterns that name tools: the same in policies, middleware and registries.
import { starTest } from '../pattern/star.ts'

export type NameTest = (name: string, uri: string) => boolean

/**
 * Whether one of the patterns matches a tool. `*` is any tool and `fs_*` a family: such a pattern is matched with the
 * name, with the URI without its scheme (so that an alias does not hide a tool), and with the name that models and people
 * see (a number that a collision added aside). `mcp://git.*` is matched with the URI.
 */
export function toolNames(patterns: readonly string[]): NameTest {
  const tests = patterns.map((pattern): NameTest => {
    const test = starTest(pattern)
    if (pattern.includes('://')) return (_, uri) => test(uri)
    return (name, uri) => test(name) || test(safeName(name)) || test(uri.slice(uri.indexOf('://') + 3))
  })
  return (name, uri) => tests.some((test) => test(name, uri))
}

/**
 * The same for what only has the names that models see, as a transcript: `rest://shop.*` and `shop.*` are `shop_*` there.
 * It may match another tool that is shown alike, so it is for what asks or forbids, not for what allows.
 */
export const shownNames = (patterns: readonly string[]): ((name: string) => boolean) => {
  const tests = patterns.map((pattern) =>
    starTest(
      pattern
        .replace(/^[^:]*:\/\//, '')
        .replace(/[^a-zA-Z0-9_*-]/g, '_')
        .slice(0, 64),
    ),
  )
  // A name that was taken has a number.
  return (name) => tests.some((test) => test(name) || test(name.replace(/_\d+$/, '')))
}

/**
 * The name as providers accept it, 1 to 64 of `a-z A-Z 0-9 _ -`: `fs.read` is shown as `fs_read`. A scheme goes, as the
 * name of its source says enough.
 */
export const safeName = (name: string): string =>
  name
    .slice(name.indexOf('://') < 0 ? 0 : name.indexOf('://') + 3)
    .replace(/[^a-zA-Z0-9_-]/g, '_')
    .slice(0, 64)

/** Gives each name once, with a number where it was given before, never longer than `longest`. */
export function uniqueNames(longest = 64): (name: string) => string {
  const given = new Set<string>()
  // Counted on, or a thousand of one name would take a million looks.
  const last = new Map<string, number>()
  return (name) => {
    const short = name.slice(0, longest)
    let free = short
    while (given.has(free)) {
      const number = (last.get(short) ?? 1) + 1
      last.set(short, number)
      free = `${short.slice(0, longest - 1 - String(number).length)}_${number}`
    }
    given.add(free)
    return free
  }
}
