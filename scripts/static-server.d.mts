// The types of static-server.mjs, for tests written in TypeScript.
export function staticServer(
  folder: string,
  options?: { readonly port?: number | undefined },
): Promise<{ readonly url: string; close(): Promise<void> }>
