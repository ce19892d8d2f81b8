// A modal dialog: the browser's own, opened as it is drawn.
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { ComponentChildren, VNode } from 'preact'
import { Icon } from '../../element/part/icon.tsx'
import { sheet } from '../state/app.ts'

export interface DialogProps {
  readonly title: string
  readonly children: ComponentChildren
}

export const closeSheet = (): void => void (sheet.value = undefined)

export function Dialog({ title, children }: DialogProps): VNode {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const { current } = dialog
    current?.showModal()
    return () => current?.close()
  }, [])
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby="dialog-title"
      onCancel={closeSheet}
      onClick={(event) => {
        // A click on the dialog itself is one beside its content.
        if (event.target === event.currentTarget) closeSheet()
      }}
    >
      <div class="sheet">
        <header>
          <h2 id="dialog-title">{title}</h2>
          <button type="button" class="icon-button" aria-label="Close" onClick={closeSheet}>
            <Icon name="cross" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  )
}
