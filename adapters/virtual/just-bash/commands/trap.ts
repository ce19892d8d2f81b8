// `trap`: what is to run at the end of a script.
import type { Command } from 'just-bash/browser'

export interface Handler {
  set(text: string): void
  get(): string
}

const quiet = { stdout: '', stderr: '', exitCode: 0 }
const isExit = (name: string): boolean => name === 'EXIT' || name === '0'
/** No signal is ever sent here, so a handler for one is kept by nobody. */
const isSignal = (name: string): boolean =>
  /^(SIG)?(HUP|INT|QUIT|TERM|PIPE|USR1|USR2|CHLD|ALRM|WINCH|TSTP)$|^\d+$/.test(name)

export function trapCommand(handler: Handler): Command {
  return {
    name: 'trap',
    execute: async (args) => {
      const names = args[0] === '--' ? args.slice(1) : args
      const [text = '', ...events] = names
      if (text === '-p' || names.length === 0) {
        const set = handler.get()
        return { ...quiet, stdout: set && `trap -- '${set.replaceAll("'", String.raw`'\''`)}' EXIT\n` }
      }
      if (text === '-l') return { ...quiet, stdout: 'EXIT\n' }
      // One argument alone takes the handler of that event away.
      const [which, what] = events.length === 0 ? [[text], ''] : [events, text === '-' ? '' : text]
      if (which.some(isExit)) handler.set(what)
      const others = which.filter((name) => !isExit(name) && !isSignal(name))
      const said = others.map((name) => `trap: ${name}: only EXIT is supported\n`).join('')
      return { ...quiet, stderr: said }
    },
  }
}
