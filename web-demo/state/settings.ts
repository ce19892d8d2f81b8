// What the page remembers about itself: the theme and the chosen model. Keys are not part of it.
import { signal } from '@preact/signals'
import { serverKey } from './keys.ts'
import type { KeyName } from './keys.ts'
import { readStored, textOf, writeStored } from './storage.ts'

export type Theme = 'auto' | 'light' | 'dark'
export type Provider = 'planner' | 'openai' | 'anthropic'

export interface ModelChoice {
  readonly provider: Provider
  readonly model: string
  /** For OpenAI-compatible servers. */
  readonly baseUrl: string
}

export const openaiDefault = 'https://api.openai.com/v1'

const themes: readonly Theme[] = ['auto', 'light', 'dark']
const providers: readonly Provider[] = ['planner', 'openai', 'anthropic']

const stored = readStored('local', 'sameloop.settings')

const oneOf = <Word extends string>(words: readonly Word[], word: string): Word =>
  words.find((known) => known === word) ?? (words[0] as Word)

export const theme = signal<Theme>(oneOf(themes, textOf(stored, 'theme', 'auto')))

export const choice = signal<ModelChoice>({
  provider: oneOf(providers, textOf(stored, 'provider', 'planner')),
  model: textOf(stored, 'model', ''),
  baseUrl: textOf(stored, 'baseUrl', ''),
})

/** Which of the worker's models answers; empty for its own default. */
export const workerModel = signal(textOf(stored, 'workerModel', ''))

export function nextTheme(): void {
  theme.value = themes[(themes.indexOf(theme.value) + 1) % themes.length] as Theme
}

/** To be run in an effect: shows and keeps the settings. */
export function applySettings(): void {
  const settings = { theme: theme.value, ...choice.value, workerModel: workerModel.value }
  document.documentElement.dataset['theme'] = theme.value
  writeStored('local', 'sameloop.settings', settings)
}

/** The address of the server of a choice. */
export const baseUrlOf = ({ baseUrl }: Pick<ModelChoice, 'baseUrl'>): string =>
  baseUrl.trim() === '' ? openaiDefault : baseUrl.trim()

/** Whose key a choice uses. */
export const keyNameOf = (choice: Pick<ModelChoice, 'provider' | 'baseUrl'>): KeyName =>
  choice.provider === 'anthropic' ? 'anthropic' : serverKey(baseUrlOf(choice))

function isAddress(text: string): boolean {
  try {
    return /^https?:\/\//.test(text) && new URL(text).host !== ''
  } catch {
    return false
  }
}

/** What is missing before this choice can answer; `undefined` where nothing is. */
export function missingIn({ provider, model, baseUrl }: ModelChoice, key: string): string | undefined {
  if (provider === 'planner') return undefined
  if (model.trim() === '') return 'Name the model'
  if (provider === 'anthropic' && key === '') return 'Enter a key'
  if (provider === 'openai' && !isAddress(baseUrlOf({ baseUrl })))
    return 'The address must begin with http:// or https://'
  return undefined
}
