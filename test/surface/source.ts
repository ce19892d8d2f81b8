// Reads the public surface out of the source itself: what an entry point re-exports, and the members of a closed union.
import { readFileSync } from 'node:fs'

const file = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

export interface EntryNames {
  readonly values: readonly string[]
  readonly types: readonly string[]
}

/** The types a file declares and exports. */
function declaredTypes(from: string, base: string): readonly string[] {
  const { pathname } = new URL(from, `file:///${base}`)
  return [...file(pathname.slice(1)).matchAll(/^export (?:interface|type|class) (\w+)/gm)].map((match) => match[1]!)
}

/** The names an entry point re-exports, sorted. */
export function entryNames(path: string): EntryNames {
  const values: string[] = []
  const types: string[] = []
  for (const [, typeOnly, list = ''] of file(path).matchAll(/export (type )?\{([^}]*)\}/g)) {
    for (const name of list.split(',').map((part) => part.trim())) {
      if (name === '') continue
      const isType = typeOnly !== undefined || name.startsWith('type ')
      const shown = name.replace(/^type /, '').replace(/^.* as /, '')
      ;(isType ? types : values).push(shown)
    }
  }
  for (const [, from = ''] of file(path).matchAll(/export type \* from '([^']+)'/g))
    types.push(...declaredTypes(from, path))
  return { values: values.sort(), types: types.sort() }
}

/** The text of one exported type, comments left out. */
function typeText(path: string, name: string): string {
  const text = file(path)
  const start = text.indexOf(`export type ${name} =`)
  if (start < 0) throw new Error(`No type "${name}" in "${path}"`)
  const end = text.indexOf('\n\n', start)
  return text.slice(start, end < 0 ? undefined : end).replace(/\/\/.*$/gm, '')
}

/** The members of `export type NAME = 'a' | 'b'`, in the order of the source. */
export function unionMembers(path: string, name: string): readonly string[] {
  return [...typeText(path, name).matchAll(/'([^']+)'/g)].map((match) => match[1]!)
}

/** The `type` of each member of a union of objects, in the order of the source. */
export function typeTags(path: string, name: string): readonly string[] {
  return [...typeText(path, name).matchAll(/readonly type: '([^']+)'/g)].map((match) => match[1]!)
}
