// A labelled field of a form.
import type { Signal } from '@preact/signals'
import type { VNode } from 'preact'

export interface FieldProps {
  readonly label: string
  readonly value: Signal<string>
  readonly type?: 'text' | 'password' | 'url' | undefined
  readonly placeholder?: string
  readonly hint?: string | undefined
  /** Values to choose from, by name of the list. */
  readonly list?: readonly string[] | undefined
}

export function Field({ label, value, type = 'text', placeholder, hint, list }: FieldProps): VNode {
  const id = `field-${label.toLowerCase().replaceAll(' ', '-')}`
  // Preact's types want one type and its own attributes, written out.
  const attributes = { type, ...(list && { list: `${id}-list` }) } as { readonly type: 'text' }
  return (
    <div class="form-field">
      <label for={id}>{label}</label>
      <input
        id={id}
        class="input"
        autocomplete="off"
        spellcheck={false}
        placeholder={placeholder ?? ''}
        {...attributes}
        {...(hint && { 'aria-describedby': `${id}-hint` })}
        value={value.value}
        onInput={(event) => (value.value = event.currentTarget.value)}
      />
      {list && (
        <datalist id={`${id}-list`}>
          {list.map((item) => (
            <option key={item} value={item} />
          ))}
        </datalist>
      )}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}
