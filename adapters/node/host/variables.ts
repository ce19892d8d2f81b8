// What of this program's environment its commands see: nothing that may be a secret, unless it is named.

const harmless = ['PATH', 'HOME', 'LANG', 'TERM'] as const

interface Runtime {
  readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> }
}

export function variables(names: readonly string[] = harmless): Readonly<Record<string, string>> {
  const { env = {} } = (globalThis as Runtime).process ?? {}
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])))
}
