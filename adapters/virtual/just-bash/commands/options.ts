// Options as programs of a terminal take them.

export interface OptionTable {
  /** Letters of options without a value, and of those that take one. */
  readonly flags: string
  readonly values: string
  /** Long names, each with the letter it stands for. */
  readonly long?: Readonly<Record<string, string>> | undefined
}

export interface Options {
  readonly flags: ReadonlySet<string>
  readonly values: ReadonlyMap<string, readonly string[]>
  readonly rest: readonly string[]
  /** What was asked for and is not known, or lacks its value. */
  readonly wrong?: string | undefined
}

/** `-n1`, `-n 1`, `-abc`, `--long`, `--long=value`; the first word that is none, or `--`, ends them unless `anywhere`. */
export function readOptions(args: readonly string[], table: OptionTable, anywhere = false): Options {
  const flags = new Set<string>()
  const values = new Map<string, string[]>()
  const rest: string[] = []
  const add = (letter: string, value: string): void => void values.set(letter, [...(values.get(letter) ?? []), value])
  const wrong = (option: string): Options => ({ flags, values, rest, wrong: option })
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at]!
    if (arg === '--') return { flags, values, rest: [...rest, ...args.slice(at + 1)] }
    if (!arg.startsWith('-') || arg === '-') {
      rest.push(arg)
      if (anywhere) continue
      return { flags, values, rest: args.slice(at) }
    }
    let letters = arg.slice(1)
    let attached: string | undefined
    if (arg.startsWith('--')) {
      const [name = '', ...parts] = arg.slice(2).split('=')
      const letter = Object.entries(table.long ?? {}).find(([long]) => long === name)?.[1]
      if (letter === undefined) return wrong(arg)
      letters = letter
      if (parts.length > 0) attached = parts.join('=')
    }
    for (let index = 0; index < letters.length; index += 1) {
      const letter = letters[index]!
      if (table.flags.includes(letter)) {
        flags.add(letter)
        continue
      }
      if (!table.values.includes(letter)) return wrong(arg.startsWith('--') ? arg : `-${letter}`)
      const value = attached ?? (letters.slice(index + 1) || args[++at])
      if (value === undefined) return wrong(arg)
      add(letter, value)
      break
    }
  }
  return { flags, values, rest }
}
