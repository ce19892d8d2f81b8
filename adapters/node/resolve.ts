// The addresses of a name, from the resolver of the machine.

interface Dns {
  readonly promises: {
    lookup(host: string, options: { readonly all: true }): Promise<readonly { readonly address: string }[]>
  }
}

interface Builtins {
  readonly process?: { getBuiltinModule?(name: string): unknown }
}

/** `undefined` where the name is unknown: the request then fails by itself. */
export async function resolveName(host: string): Promise<readonly string[] | undefined> {
  // Not an import: a bundle for a page may hold this preset beside others.
  const dns = (globalThis as Builtins).process?.getBuiltinModule?.('node:dns') as Dns | undefined
  const found = await dns?.promises.lookup(host, { all: true }).catch(() => undefined)
  return found?.map(({ address }) => address)
}
