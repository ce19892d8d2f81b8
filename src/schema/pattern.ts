// Regular expressions from foreign schemas, made to compile in Unicode mode.

/** Letters that mean something after a backslash in Unicode mode. */
const meaningful = /[dDwWsSbBtnvfrcxukpP0-9^$\\.*+?()[\]{}|/]/

/**
 * The pattern as it compiles with the `u` flag, or `undefined` where it does not. Written for no flag, many have
 * escapes that `u` forbids (`\-`, `\_`) or a dash beside a class escape (`[\w-]`): both mean the plain character.
 */
export function unicodePattern(pattern: string): string | undefined {
  const candidates = [pattern, pattern.replace(/\\([^])(-?)/g, mendEscape)]
  return candidates.find(compiles)
}

function mendEscape(whole: string, letter: string, dash: string): string {
  const escape = meaningful.test(letter) ? `\\${letter}` : `\\u{${letter.codePointAt(0)?.toString(16)}}`
  return dash !== '' && /[wdsWDS]/.test(letter) ? `${escape}\\u{2d}` : escape + dash
}

function compiles(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u')
    return true
  } catch {
    return false
  }
}
