// Cuts streaming text into finished sentences, so that a screen reader is told whole ones.

/** How much of `text` from `from` on is finished: up to the last end of a sentence or line. The position after it. */
export function finishedUpTo(text: string, from: number): number {
  let end = from
  for (let index = from; index < text.length; index++) {
    const char = text[index]
    if (char === '\n') end = index + 1
    else if ((char === ' ' || char === '\u3000') && '.!?…:'.includes(text[index - 1] ?? 'x')) end = index + 1
    else if ('。！？'.includes(char as string)) end = index + 1
  }
  return end
}

/** Markdown marks would be read aloud one by one. */
export function spoken(text: string): string {
  return text
    .replace(/```[^\n]*\n?/g, ' ')
    .replace(/\[([^\]\n]{1,300})\]\([^)\n]{1,2000}\)/g, '$1')
    .replace(/[*_`#>|~]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}
