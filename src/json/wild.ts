// What a stranger sent, asked key by key.

/**
 * Parsed JSON of unknown make: any key may be asked with `?.`, no answer is sure, and `null` is possible everywhere.
 * Only keys that no prototype has.
 */
export interface Wild {
  readonly [key: string]: Wild | undefined
}

const nothing: readonly (Wild | undefined)[] = []

export const wildList = (value: Wild | undefined): readonly (Wild | undefined)[] =>
  Array.isArray(value) ? value : nothing

export const wildText = (value: Wild | undefined): string => (typeof value === 'string' ? value : '')

export const wildNumber = (value: Wild | undefined): number | undefined =>
  typeof value === 'number' ? value : undefined
