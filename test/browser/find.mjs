// What runs inside a page for a test: finding elements and reading text, through open shadow roots. Each function is
// sent to the browser as its own text, so it stands alone.

/**
 * The first element for a selector, shadow roots included. `text=Send` finds what a person would press for that name: the
 * innermost visible button, link, option, tab, label or summary with this text or aria-label.
 */
export function findElement(selector) {
  const roots = [document]
  for (const root of roots) {
    for (const element of root.querySelectorAll('*')) if (element.shadowRoot) roots.push(element.shadowRoot)
  }
  if (!selector.startsWith('text=')) {
    for (const root of roots) {
      const found = root.querySelector(selector)
      if (found) return found
    }
    return null
  }
  const name = selector.slice('text='.length)
  const pressable = 'button, a, summary, label, option, [role], input[type=button], input[type=submit]'
  const nameOf = (element) => (element.getAttribute('aria-label') ?? element.innerText ?? element.value ?? '').trim()
  const found = roots
    .flatMap((root) => [...root.querySelectorAll(pressable)])
    .filter((element) => element.getClientRects().length > 0 && nameOf(element) === name)
  return found.at(-1) ?? null
}

/** The visible text of the page or of the first element for a selector, shadow roots included. */
export function readText(selector) {
  const visible = (element) => element.getClientRects().length > 0 || getComputedStyle(element).display === 'contents'
  const textOf = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return node.data
    if (node.nodeType === Node.ELEMENT_NODE) {
      if (['SCRIPT', 'STYLE', 'TEMPLATE', 'NOSCRIPT'].includes(node.tagName)) return ''
      if (node !== document.body && !visible(node)) return ''
      if (node.tagName === 'SLOT') return [...node.assignedNodes({ flatten: true })].map(textOf).join('')
    }
    const children = node.shadowRoot ? node.shadowRoot.childNodes : node.childNodes
    const text = [...children].map(textOf).join('')
    return node.nodeType === Node.ELEMENT_NODE && getComputedStyle(node).display !== 'inline' ? ` ${text} ` : text
  }
  const roots = [document]
  for (const root of roots) {
    for (const element of root.querySelectorAll('*')) if (element.shadowRoot) roots.push(element.shadowRoot)
  }
  const start =
    selector === '' ? document.body : roots.map((root) => root.querySelector(selector)).find((found) => found)
  return start ? textOf(start).replace(/\s+/g, ' ').trim() : ''
}

/** Focuses a field with the caret at its end. */
export function focusField(element) {
  element.focus()
  if ('setSelectionRange' in element) element.setSelectionRange(element.value.length, element.value.length)
  else getSelection().collapse(element, element.childNodes.length)
}

/** Focuses a field with all of it selected, so that what is typed next replaces it. */
export function selectField(element) {
  element.focus()
  if ('select' in element) element.select()
  else getSelection().selectAllChildren(element)
}

/** Two frames: what was changed before is on the screen after. */
export function nextFrames() {
  return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(true))))
}
