// Remarks that a tool makes about its own result, in brackets on a line of their own: `[showing lines 1-200 of 900]`.

// Only what our own tools say: a line of a person's file may stand in brackets too.
const partial = 'showing lines|\\d+ more|more than|there are more|the limit on'
const remark = new RegExp(
  `^\\[(?:${partial}|the (?:file|directory) is empty|no (?:matches|files)|\\d+ binary)\\b[^\\]]*\\]$`,
)
const cut = new RegExp(`\\n\\[(?:${partial})\\b[^\\]]*\\]\\s*$`)

export const isRemark = (line: string): boolean => remark.test(line)

/** Whether a result says of itself that it is not whole. */
export const isCut = (text: string): boolean => cut.test(text)

/** The text without remarks at its end. */
export function withoutRemarks(text: string): string {
  const lines = text.split('\n')
  while (remark.test(lines.at(-1) ?? '')) lines.pop()
  return lines.join('\n')
}
