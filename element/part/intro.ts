// What a page may say in the place of an empty chat.
import type { IconName } from './icon-path.ts'

export interface Example {
  /** What is sent. */
  readonly text: string
  /** What it shows, in a word or three. */
  readonly caption: string
  readonly icon?: IconName | undefined
}

/** Replaces the words of an empty chat. */
export interface Intro {
  readonly title?: string | undefined
  readonly text?: string | undefined
  readonly examples?: readonly Example[] | undefined
}
