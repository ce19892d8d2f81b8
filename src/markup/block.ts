// What a page is made of once it is read: blocks of finished text, and the parts of the page they stand in.

export type BlockKind = 'text' | 'heading' | 'item' | 'code' | 'table' | 'rule'

export interface Block {
  readonly kind: BlockKind
  readonly text: string
  /** How much it says, and how much of that is links: see `Taken`. */
  readonly weight: number
  readonly linked: number
  /** Index of the container it stands in. */
  readonly container: number
  /** Goes on with the block before, without an empty line between. */
  readonly isTight: boolean
}

export interface Container {
  readonly name: string
  /** Index of the one around it; -1 for the first. */
  readonly parent: number
  /** Whether it looks like something beside the text: navigation, a banner, advertising. */
  readonly aside: 'surely' | 'likely' | undefined
}

export interface Page {
  readonly title: string
  readonly author: string
  readonly blocks: readonly Block[]
  readonly containers: readonly Container[]
  /** Whether there was more than is held. */
  readonly isCut: boolean
}

export const joined = (blocks: readonly Block[]): string =>
  blocks
    .map(({ text, isTight }, index) => {
      if (index === 0) return text
      return (isTight ? '\n' : '\n\n') + text
    })
    .join('')
