// Tables that read well in a terminal and, pasted, in markdown. Rows are printed as they come.

/** Three digits that matter. */
export function digits(value) {
  if (value === undefined || !Number.isFinite(value)) return '-'
  if (value === 0 || value >= 100) return value.toFixed(0)
  return value >= 10 ? value.toFixed(1) : value.toFixed(2)
}

/** `columns` are `[title, width]`; the first is left-aligned. Prints the head; the returned function prints a row. */
export function table(columns, print = console.log) {
  const line = (cells) => {
    const padded = cells.map((cell, index) => {
      const width = Math.max(columns[index][1], columns[index][0].length)
      return index === 0 || columns[index][2] === 'left' ? String(cell).padEnd(width) : String(cell).padStart(width)
    })
    print(`| ${padded.join(' | ')} |`)
  }
  line(columns.map(([title]) => title))
  print(
    `|${columns
      .map(([title, width, side], index) => {
        const bar = '-'.repeat(Math.max(width, title.length) + 1)
        return index === 0 || side === 'left' ? `${bar}-` : `${bar}:`
      })
      .join('|')}|`,
  )
  return line
}
