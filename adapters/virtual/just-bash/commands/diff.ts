// `diff` of two files: the changes in the notation of ed, or with the lines around them.
import type { Command } from 'just-bash/browser'
import { diff as unifiedDiff } from '../../../../src/diff/diff.ts'
import { binaryToBytes } from '../vfs-bridge.ts'
import { readOptions } from './options.ts'
import { inputBinary, printed, refused } from './result.ts'
import type { Context } from './result.ts'

const table = { flags: 'aNu', values: 'U', long: { text: 'a', 'new-file': 'N', unified: 'u' } }

export const diff: Command = {
  name: 'diff',
  execute: async (args, context) => {
    const { rest, wrong, flags, values } = readOptions(args, table, true)
    // Other options, directories, and what is wrong with the arguments are for the original.
    const [from, to] = rest
    const isOurs = wrong === undefined && from !== undefined && to !== undefined && rest.length === 2
    const texts = isOurs ? [await textOf(from, context), await textOf(to, context)] : []
    const [before, after] = texts
    if (before === undefined || after === undefined)
      return context.origCommand?.(args) ?? refused('diff', 'the files cannot be read', 2)
    if (before === after) return printed('')
    const around = Math.max(0, Number(values.get('U')?.at(-1) ?? 3) || 0)
    if (!flags.has('u') && !values.has('U')) return printed(classic(before, after), 1)
    return printed(unifiedDiff(before, after, { context: around, from, to }), 1)
  },
}

async function textOf(name: string, { fs, cwd, stdin }: Context): Promise<string | undefined> {
  if (name === '-') return new TextDecoder().decode(binaryToBytes(inputBinary(stdin)))
  return fs.readFile(fs.resolvePath(cwd, name)).catch(() => undefined)
}

/** A hunk without context is one change. */
function classic(before: string, after: string): string {
  const [, ...hunks] = unifiedDiff(before, after, { context: 0 }).split(/^@@ -/m)
  return hunks.map(changeOf).join('')
}

function changeOf(hunk: string): string {
  const [head = '', ...lines] = hunk.split('\n')
  const [, old = '0', olds = '1', young = '0', youngs = '1'] =
    /^(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(head) ?? []
  const [removed, added] = [marked(lines, '-', '< '), marked(lines, '+', '> ')]
  const [left, right] = [rangeOf(old, olds), rangeOf(young, youngs)]
  if (added === '') return `${left}d${right}\n${removed}`
  if (removed === '') return `${left}a${right}\n${added}`
  return `${left}c${right}\n${removed}---\n${added}`
}

const rangeOf = (first: string, count: string): string =>
  Number(count) > 1 ? `${first},${Number(first) + Number(count) - 1}` : first

/** The lines of one side, each with the note that may follow it. */
function marked(lines: readonly string[], mark: string, shown: string): string {
  let [text, isInside] = ['', false]
  for (const line of lines) {
    if (line.startsWith('\\')) text += isInside ? `${line}\n` : ''
    else isInside = line.startsWith(mark)
    if (isInside && line.startsWith(mark)) text += `${shown}${line.slice(1)}\n`
  }
  return text
}
