// The addresses of a name, from the resolver of the machine.

interface Runtime {
  readonly Deno?: { resolveDns(host: string, kind: 'A' | 'AAAA'): Promise<readonly string[]> }
}

/** `undefined` where the name is unknown or the resolver may not be asked: the request then fails, or not, by itself. */
export async function resolveName(host: string): Promise<readonly string[] | undefined> {
  const { Deno } = globalThis as Runtime
  if (!Deno) return undefined
  const answers = await Promise.allSettled([Deno.resolveDns(host, 'A'), Deno.resolveDns(host, 'AAAA')])
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  return found.length > 0 ? found : undefined
}
