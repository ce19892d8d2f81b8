// Draws Markdown as elements. Blocks that did not change keep their drawing, so of streaming text only the last is made anew.
import { useRef } from 'preact/hooks'
import type { ComponentChildren, VNode } from 'preact'
import { useChatFacts } from '../part/context.ts'
import { Prose, Visible } from '../part/visible.tsx'
import { visibleText } from '../view/visible.ts'
import { markdown } from './block.ts'
import type { Markdown } from './block.ts'
import type { Block, Inline } from './node.ts'

type BlockOf<Type extends Block['type']> = Extract<Block, { readonly type: Type }>

export interface MarkdownTextProps {
  readonly text: string
  /** Whether more may come. */
  readonly grows: boolean
}

export function MarkdownText({ text, grows }: MarkdownTextProps): VNode {
  const before = useRef<Markdown>(undefined)
  const drawn = useRef(new WeakMap<Block, VNode>())
  const parsed = before.current?.text === text ? before.current : markdown(text, grows ? before.current : undefined)
  before.current = parsed
  const children = parsed.blocks.map(({ block, start }) => {
    const known = drawn.current.get(block)
    if (known !== undefined) return known
    const fresh = <BlockView key={start} block={block} />
    drawn.current.set(block, fresh)
    return fresh
  })
  return <div class="md">{children}</div>
}

function BlockView({ block }: { readonly block: Block }): VNode {
  switch (block.type) {
    case 'paragraph':
      return <p>{inlineNodes(block.inline)}</p>
    case 'heading':
      return <Heading level={block.level}>{inlineNodes(block.inline)}</Heading>
    case 'code':
      return <Code block={block} />
    case 'quote':
      return <blockquote>{blockNodes(block.blocks)}</blockquote>
    case 'list':
      return <List block={block} />
    case 'table':
      return <Table block={block} />
    case 'rule':
      return <hr />
  }
}

const blockNodes = (blocks: readonly Block[]): ComponentChildren[] =>
  blocks.map((block, index) => <BlockView key={index} block={block} />)

function Code({ block: { language, text } }: { readonly block: BlockOf<'code'> }): VNode {
  const { labels } = useChatFacts()
  return (
    <pre tabIndex={0} aria-label={language === '' ? labels.code : `${labels.code}, ${visibleText(language)}`}>
      <code>
        <Visible text={text} />
      </code>
    </pre>
  )
}

/** The conversation has headings of its own: those of an answer begin three levels lower. */
function Heading({ level, children }: { readonly level: number; readonly children: ComponentChildren }): VNode {
  const Tag = `h${Math.min(6, level + 2)}` as 'h3'
  return <Tag data-level={level}>{children}</Tag>
}

function List({ block }: { readonly block: BlockOf<'list'> }): VNode {
  const { labels } = useChatFacts()
  const items = block.items.map(({ checked, blocks }, index) => {
    const [first, ...rest] = blocks
    // A single paragraph needs no space around it.
    const lead = first?.type === 'paragraph' ? inlineNodes(first.inline) : first && <BlockView block={first} />
    return (
      <li key={index} class={checked === undefined ? '' : 'task'}>
        {checked !== undefined && (
          <input type="checkbox" checked={checked} disabled aria-label={checked ? labels.taskDone : labels.taskOpen} />
        )}
        {lead}
        {blockNodes(rest)}
      </li>
    )
  })
  return block.start === undefined ? <ul>{items}</ul> : <ol start={block.start}>{items}</ol>
}

function Table({ block }: { readonly block: BlockOf<'table'> }): VNode {
  const { labels } = useChatFacts()
  const { align, head, rows } = block
  return (
    <div class="table" tabIndex={0} role="region" aria-label={labels.table}>
      <table>
        <thead>
          <tr>
            {head.map((cell, column) => (
              <th key={column} data-align={align[column]}>
                {inlineNodes(cell)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column} data-align={align[column]}>
                  {inlineNodes(cell)}
                </td>
              ))}
              {row.length < head.length && <td colSpan={head.length - row.length} />}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Its words cannot turn around what stands beside it; the text of a link is often an address. */
function Link({ node }: { readonly node: Extract<Inline, { readonly type: 'link' }> }): VNode {
  const { labels } = useChatFacts()
  return (
    <a href={node.href} target="_blank" rel="noopener noreferrer nofollow">
      <bdi>
        {node.isImage && `${labels.image}: `}
        {node.children.map((child, index) =>
          typeof child === 'string' ? <Visible key={index} text={child} /> : <InlineView key={index} node={child} />,
        )}
      </bdi>
    </a>
  )
}

function inlineNodes(nodes: readonly Inline[]): ComponentChildren[] {
  return nodes.map((node, index) =>
    typeof node === 'string' ? <Prose key={index} text={node} /> : <InlineView key={index} node={node} />,
  )
}

function InlineView({ node }: { readonly node: Exclude<Inline, string> }): VNode {
  switch (node.type) {
    case 'code':
      return (
        <code>
          <Visible text={node.text} />
        </code>
      )
    case 'break':
      return <br />
    case 'link':
      return <Link node={node} />
    case 'strong':
      return <strong>{inlineNodes(node.children)}</strong>
    case 'em':
      return <em>{inlineNodes(node.children)}</em>
    case 'del':
      return <del>{inlineNodes(node.children)}</del>
  }
}
