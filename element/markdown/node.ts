// What parsed Markdown is made of.

export type Inline =
  | string
  | { readonly type: 'code'; readonly text: string }
  | { readonly type: 'strong' | 'em' | 'del'; readonly children: readonly Inline[] }
  /** An image is a link too: nothing remote is ever loaded because a model wrote it. */
  | { readonly type: 'link'; readonly href: string; readonly isImage: boolean; readonly children: readonly Inline[] }
  | { readonly type: 'break' }

export interface ListItem {
  readonly checked?: boolean | undefined
  readonly blocks: readonly Block[]
}

export type Align = 'left' | 'center' | 'right' | undefined

export type Block =
  | { readonly type: 'paragraph'; readonly inline: readonly Inline[] }
  | { readonly type: 'heading'; readonly level: number; readonly inline: readonly Inline[] }
  | { readonly type: 'code'; readonly language: string; readonly text: string }
  | { readonly type: 'quote'; readonly blocks: readonly Block[] }
  | { readonly type: 'list'; readonly start: number | undefined; readonly items: readonly ListItem[] }
  | {
      readonly type: 'table'
      readonly align: readonly Align[]
      readonly head: readonly (readonly Inline[])[]
      readonly rows: readonly (readonly (readonly Inline[])[])[]
    }
  | { readonly type: 'rule' }
