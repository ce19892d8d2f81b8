// Remarks that a tool makes about its own result, in brackets on a line of their own: `[showing lines 1-200 of 900]`.

// Only what our own tools say: a line of a person's file may stand in brackets too.
const partial = /^\[(?:showing lines|\d+ more|more than|there are more|the limit on)\b[^\]]*\]$/
const whole = /^\[(?:the (?:file|directory) is empty|no (?:matches|files)|\d+ binary)\b[^\]]*\]$/

export const isRemark = (line: string): boolean => partial.test(line) || whole.test(line)

/** Whether a result says of itself, on its last line, that it is not whole. */
export function isCut(text: string): boolean {
  const trimmed = text.trimEnd()
  return partial.test(trimmed.slice(trimmed.lastIndexOf('\n') + 1))
}

/** The text without remarks at its end. */
export function withoutRemarks(text: string): string {
  const lines = text.split('\n')
  while (isRemark(lines.at(-1) ?? '')) lines.pop()
  return lines.join('\n')
}
