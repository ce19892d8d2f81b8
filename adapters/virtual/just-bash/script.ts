// What is added to a script before it runs: where each command prints, so that output is seen as it comes and not at the
// end, and what an `exit` leaves behind.
import type { Bash } from 'just-bash/browser'
import { devices } from './shell-files.ts'

type Plugin = Parameters<Bash['registerTransformPlugin']>[0]
type Script = ReturnType<Plugin['transform']>['ast']
type Statement = Script['statements'][number]
type Pipeline = Statement['pipelines'][number]
type Node = Pipeline['commands'][number]
type SimpleCommand = Extract<Node, { type: 'SimpleCommand' }>
type Redirection = SimpleCommand['redirections'][number]

/** What is added, parsed once. */
export interface Additions {
  /** `>` to a device, for each stream. */
  readonly stdout: Redirection
  readonly stderr: Redirection
  /** An `exit` with what is added to each. */
  readonly exit: SimpleCommand
  /** Sets `runningName`. */
  readonly running: Statement
}

/** The command that `exit` runs before it ends the script: it sees variables and directory, which end with the script. */
export const leaveName = '.leave'
/** Is set while a script runs, and gone when it was left by `exit`. */
export const runningName = 'BASH_EXECUTION_STRING'

export function additions(bash: Bash): Additions {
  const parsed = (text: string): Statement => bash.transform(text).ast.statements[0]!
  const command = (text: string): SimpleCommand => parsed(text).pipelines[0]?.commands[0] as SimpleCommand
  const [stdout, stderr] = command(`: >>${devices.stdout} 2>>${devices.stderr}`).redirections
  return {
    stdout: stdout!,
    stderr: stderr!,
    exit: command(`exit $? $(${leaveName})`),
    running: parsed(`${runningName}=`),
  }
}

/** What a script is found to have. */
export interface Seen {
  /** The functions that it defines, for a handler that runs after it. */
  readonly functions: Node[]
  /** It sends the output of all that follows elsewhere, which what is added would undo. */
  redirects: boolean
}

/** Prepares the script that is run next, and none that it runs in turn; `first` are functions of an earlier one. */
export function preparation(added: Additions, seen: Seen, first: readonly Node[] = []): Plugin {
  let isDone = false
  return {
    name: 'sameloop',
    transform: ({ ast }) => {
      if (isDone) return { ast }
      isDone = true
      walk(ast.statements, { added, seen, isMain: true, route: false })
      if (!seen.redirects) walk(ast.statements, { added, seen: undefined, isMain: true, route: true })
      return { ast: { ...ast, statements: [added.running, ...first.map(statementOf), ...ast.statements] } }
    },
  }
}

const statementOf = (command: Node): Statement => ({
  type: 'Statement',
  pipelines: [{ type: 'Pipeline', commands: [command], negated: false }],
  operators: [],
  background: false,
})

/** Two walks: the first looks for functions and at `exit`, the second gives each command its way out. */
interface Walk {
  readonly added: Additions
  readonly seen: Seen | undefined
  readonly route: boolean
  /** Not in a subshell, a stage of a pipe, or beside: there an `exit` is not the script's. */
  readonly isMain: boolean
}

function walk(statements: readonly Statement[], how: Walk): void {
  for (const { pipelines, background } of statements)
    for (const { commands, pipeStderr, timed } of pipelines) {
      const inner = background || commands.length > 1 ? { ...how, isMain: false } : how
      for (const [index, command] of commands.entries()) {
        const isLast = index === commands.length - 1
        if (!how.route || isLast) enter(command, inner)
        if (how.route && !background && !timed) send(command, how.added, { isLast, hasStderr: !pipeStderr?.[index] })
      }
    }
}

function enter(command: Node, how: Walk): void {
  if (command.type === 'SimpleCommand') return how.route ? undefined : look(command, how)
  if (command.type === 'FunctionDef') {
    // What calls it decides where it prints.
    if (how.route) return
    how.seen?.functions.push(command)
    return enter(command.body, how)
  }
  // The way out of all of it is given by what it has itself.
  if (how.route && command.redirections.length > 0) return
  for (const body of bodiesOf(command)) walk(body, command.type === 'Subshell' ? { ...how, isMain: false } : how)
}

function bodiesOf(
  command: Exclude<Node, { type: 'SimpleCommand' | 'FunctionDef' }>,
): readonly (readonly Statement[])[] {
  switch (command.type) {
    case 'If':
      return [...command.clauses.flatMap(({ condition, body }) => [condition, body]), command.elseBody ?? []]
    case 'Case':
      return command.items.map(({ body }) => body)
    case 'While':
    case 'Until':
      return [command.condition, command.body]
    case 'For':
    case 'CStyleFor':
    case 'Group':
    case 'Subshell':
      return [command.body]
    default:
      return []
  }
}

/** Before the redirections of its own, which may go on from there. */
function send(
  command: Node,
  { stdout, stderr }: Additions,
  { isLast, hasStderr }: { readonly isLast: boolean; readonly hasStderr: boolean },
): void {
  if (command.type === 'FunctionDef') return
  const isSimple = command.type === 'SimpleCommand'
  if (isSimple ? command.name === null : command.redirections.length === 0) return
  if (hasStderr) command.redirections.unshift(stderr)
  if (isLast) command.redirections.unshift(stdout)
}

function look({ name, args, redirections }: SimpleCommand, { added, seen, isMain }: Walk): void {
  const [part, ...others] = name?.parts ?? []
  if (part?.type !== 'Literal' || others.length > 0) return
  if (part.value === 'exec' && redirections.length > 0 && seen) seen.redirects = true
  if (part.value === 'exit' && isMain) args.push(...added.exit.args.slice(args.length === 0 ? 0 : 1))
}
