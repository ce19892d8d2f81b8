// What is known of the shell before it is loaded.
import type { Interpreter } from '../../../src/sandbox/interpreter.ts'

export const justBashFacts: Pick<Interpreter, 'kind' | 'languages' | 'describe'> = {
  kind: 'just-bash',
  languages: ['bash'],
  describe: () =>
    [
      'A simulated bash over the same files as the file tools, with the same paths.',
      'Present: bash syntax with arrays, functions, globs and traps on EXIT; coreutils, awk, sed, grep, rg, find, xargs, jq, diff, tar, gzip, bc, mktemp, base64, checksums, and curl where there is a network.',
      'Missing: git, python, node, package managers, sqlite3, yq, dd, xxd, html-to-markdown, /dev/zero, symbolic and hard links, job control.',
      'Variables and functions end with each command; files and the working directory stay. /tmp belongs to the shell alone; /bin, /dev, /proc and /usr cannot be changed.',
      'The stages of a pipe run one after the other, each to its end, so an endless one on the left never feeds the right.',
      'One call runs at most some thousand commands and loop steps and holds 10 MiB in a variable or a pipe; what goes over many lines is for awk.',
    ].join(' '),
}
