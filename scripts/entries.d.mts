// The types of entries.mjs, for tests written in TypeScript.
export interface Entry {
  /** Of `exports`, for example `./tools/web`. */
  readonly key: string
  readonly source: string
  readonly output: string
  readonly types: string
}

export function entries(): readonly Entry[]
export const assets: Readonly<Record<string, string>>
export function packageExports(): Readonly<
  Record<string, string | { readonly types: string; readonly default: string }>
>
export function denoExports(): Readonly<Record<string, string>>
