// The types of example.mjs, for tests written in TypeScript.
export function runExample(
  file: string,
  options?: {
    readonly change?: ((text: string) => string) | undefined
    readonly echo?: boolean | undefined
    readonly env?: Readonly<Record<string, string>> | undefined
  },
): Promise<{ readonly code: number; readonly output: string }>
