// The tree of files, by the rules of a tree view: arrows walk it, Enter opens.
import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import type { VNode } from 'preact'
import { Icon } from '../../element/part/icon.tsx'
import { Name } from '../../element/part/visible.tsx'
import { byteSize } from '../../element/view/figure.ts'
import { openPath } from '../state/app.ts'
import type { OpenChat } from '../state/chats.ts'
import type { Mark } from '../state/files.ts'
import { treeRows } from './tree-rows.ts'
import type { TreeRow } from './tree-rows.ts'

const marks: Readonly<Record<Mark, readonly [letter: string, words: string]>> = {
  added: ['A', 'added'],
  changed: ['M', 'changed'],
  deleted: ['D', 'deleted'],
}

export function FileTree({ chat }: { readonly chat: OpenChat }): VNode {
  const closed = useSignal<ReadonlySet<string>>(new Set())
  const active = useSignal('')
  const tree = useRef<HTMLUListElement>(null)
  const { rows, isCut } = treeRows(chat.listed.value, chat.marks.value, closed.value)
  const focusable = rows.some(({ path }) => path === active.value) ? active.value : rows[0]?.path
  const toggle = (path: string, isOpen: boolean): void => {
    const next = new Set(closed.peek())
    if (isOpen) next.delete(path)
    else next.add(path)
    closed.value = next
  }
  const pick = (row: TreeRow): void => {
    active.value = row.path
    if (row.type === 'dir') toggle(row.path, closed.peek().has(row.path))
    else if (row.mark !== 'deleted') openPath.value = row.path
  }
  const go = (row: TreeRow | undefined): void => {
    if (row === undefined) return
    active.value = row.path
    tree.current?.querySelector<HTMLElement>(`[data-path="${CSS.escape(row.path)}"]`)?.focus()
  }
  const onKey = (event: KeyboardEvent): void => {
    const at = rows.findIndex(({ path }) => path === active.value)
    const row = rows[Math.max(0, at)]
    const done =
      row !== undefined &&
      walkTree(event.key, { rows, at: Math.max(0, at), row, closed: closed.peek(), go, toggle, pick })
    if (done) event.preventDefault()
  }
  return (
    <>
      <ul class="tree" role="tree" aria-label="Files" ref={tree} onKeyDown={onKey}>
        {rows.map((row) => (
          <TreeLine
            key={row.path}
            row={row}
            isOpen={!closed.value.has(row.path)}
            isFocusable={row.path === focusable}
            onPick={pick}
          />
        ))}
      </ul>
      {isCut && <p class="nothing">There are more files than are shown here: {rows.length}.</p>}
    </>
  )
}

interface Walk {
  readonly rows: readonly TreeRow[]
  readonly at: number
  readonly row: TreeRow
  readonly closed: ReadonlySet<string>
  readonly go: (row: TreeRow | undefined) => void
  readonly toggle: (path: string, isOpen: boolean) => void
  readonly pick: (row: TreeRow) => void
}

const parentOf = (rows: readonly TreeRow[], at: number): TreeRow | undefined =>
  rows
    .slice(0, at)
    .reverse()
    .find(({ level }) => level < (rows[at]?.level ?? 0))

/** Whether the key means something to the tree. */
function walkTree(key: string, { rows, at, row, closed, go, toggle, pick }: Walk): boolean {
  const isOpen = row.type === 'dir' && !closed.has(row.path)
  const actions: Readonly<Record<string, () => void>> = {
    ArrowDown: () => go(rows[at + 1]),
    ArrowUp: () => go(rows[at - 1]),
    Home: () => go(rows[0]),
    End: () => go(rows.at(-1)),
    Enter: () => pick(row),
    ' ': () => pick(row),
    ArrowRight: () => (isOpen ? go(rows[at + 1]) : row.type === 'dir' && toggle(row.path, true)),
    ArrowLeft: () => (isOpen ? toggle(row.path, false) : go(parentOf(rows, at))),
  }
  if (!Object.hasOwn(actions, key)) return false
  actions[key]?.()
  return true
}

interface TreeLineProps {
  readonly row: TreeRow
  readonly isOpen: boolean
  readonly isFocusable: boolean
  readonly onPick: (row: TreeRow) => void
}

function TreeLine({ row, isOpen, isFocusable, onPick }: TreeLineProps): VNode {
  const { path, name, type, level, size, mark } = row
  const isDir = type === 'dir'
  const [letter, words] = mark === undefined ? [] : marks[mark]
  return (
    <li
      role="treeitem"
      class={mark === 'deleted' ? 'gone' : ''}
      data-path={path}
      data-level={Math.min(level, 6)}
      aria-level={level}
      aria-expanded={isDir ? isOpen : undefined}
      aria-selected={path === openPath.value}
      tabIndex={isFocusable ? 0 : -1}
      onClick={() => onPick(row)}
    >
      <Icon name={isDir ? 'folder' : 'file'} />
      <span class="name">
        <Name text={name} />
      </span>
      {letter !== undefined && (
        <abbr class={`letter ${mark}`} title={words} aria-label={words}>
          {letter}
        </abbr>
      )}
      <span class="gap" />
      {!isDir && mark !== 'deleted' && <span class="size">{byteSize(size)}</span>}
    </li>
  )
}
