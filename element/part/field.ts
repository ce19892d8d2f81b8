// Whether somebody types where a key was pressed.

export const isField = (target: EventTarget | undefined): boolean =>
  target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement || target instanceof HTMLSelectElement
