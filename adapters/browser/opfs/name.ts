// Names as paths have them, and as the browser takes them: Chromium refuses a backslash.

/** The name of an entry: a backslash becomes "%5C", and what looks like one already is told apart by "25". */
export function entryName(name: string): string {
  return name.replace(/%(?=(?:25)*5C)/g, '%25').replaceAll('\\', '%5C')
}

/** The name in a path of what is called this. */
export function nameOfEntry(entry: string): string {
  return entry.replace(/%((?:25)*)5C/g, (_, escapes: string) => (escapes ? `%${escapes.slice(2)}5C` : '\\'))
}
