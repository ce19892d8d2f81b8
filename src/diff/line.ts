// Line ends: work is done in "\n", and a file that uses "\r\n" throughout keeps it.

/** Whether every line of the text ends in "\r\n", and there is one. */
export function usesCrlf(text: string): boolean {
  let at = text.indexOf('\n')
  if (at < 0) return false
  for (; at >= 0; at = text.indexOf('\n', at + 1)) if (text[at - 1] !== '\r') return false
  return true
}

export const toLf = (text: string): string => text.replaceAll('\r\n', '\n')

export const toCrlf = (text: string): string => toLf(text).replaceAll('\n', '\r\n')

/** The lines with their ends; the last may have none. */
export function splitLines(text: string): string[] {
  const lines: string[] = []
  let from = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', from)) {
    lines.push(text.slice(from, at + 1))
    from = at + 1
  }
  if (from < text.length) lines.push(text.slice(from))
  return lines
}
