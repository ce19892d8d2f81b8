// `bc`: a calculator with decimals of any length. Expressions and variables, no functions of one's own and no loops.
import type { Command } from 'just-bash/browser'
import { decimalText } from './decimal.ts'
import type { Decimal } from './decimal.ts'
import { calculation } from './expression.ts'
import type { Printed } from './expression.ts'
import { inputBinary, printed, refused } from '../commands/result.ts'
import type { Context } from '../commands/result.ts'

/** Characters of a program. */
const maxProgram = 100_000
/** The most that a program prints, in characters. */
const maxOutput = 2 ** 20
const lineLength = 69

export const bc: Command = {
  name: 'bc',
  execute: async (args, context) => {
    const options = args.filter((arg) => arg.startsWith('-'))
    const wrong = options.find((option) => !/^(-[lqsw]+|--mathlib|--quiet)$/.test(option))
    if (wrong !== undefined) return refused('bc', `unknown option ${wrong}`)
    const program = await programOf(
      args.filter((arg) => !arg.startsWith('-')),
      context,
    )
    if (program === undefined) return refused('bc', 'a file cannot be read')
    if (program.length > maxProgram) return refused('bc', `a program may have ${maxProgram} characters`)
    const hasLibrary = options.some((option) => /^-\w*l|mathlib/.test(option))
    return calculated(program, hasLibrary ? 20 : 0)
  },
}

async function programOf(files: readonly string[], { fs, cwd, stdin }: Context): Promise<string | undefined> {
  const texts: string[] = []
  for (const file of files) {
    const text = await fs.readFile(fs.resolvePath(cwd, file)).catch(() => undefined)
    if (text === undefined) return undefined
    texts.push(text)
  }
  return `${texts.join('\n')}\n${inputBinary(stdin)}`
}

function calculated(program: string, scale: number): ReturnType<typeof printed> {
  const lines = program
    .replace(/\/\*[^]*?\*\//g, ' ')
    .replace(/#[^\n]*/g, '')
    .replace(/\\\n/g, '')
    .split('\n')
  const run = calculation(scale)
  let [stdout, stderr] = ['', '']
  for (const line of lines) {
    const { output, isOver, fault } = run(line)
    for (const one of output) stdout += textOf(one)
    if (fault !== undefined) stderr += `(standard_in) 1: ${fault}\n`
    if (stdout.length > maxOutput) return refused('bc', `more than ${maxOutput} characters of output`)
    if (isOver) break
  }
  return { ...printed(stdout), stderr }
}

function textOf(one: Printed): string {
  if (typeof one === 'string') return one
  const { value, base, end } = one
  const text = base === 10 ? decimalText(value) : inBase(value, base)
  const lines = text.length > lineLength + 1 ? (text.match(new RegExp(`.{1,${lineLength}}`, 'g')) ?? []) : [text]
  return lines.join('\\\n') + end
}

function inBase(value: Decimal, base: number): string {
  // What is behind the point is cut.
  return (value.units / 10n ** BigInt(value.scale)).toString(base).toUpperCase()
}
