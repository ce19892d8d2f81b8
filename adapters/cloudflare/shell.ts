// The shell in a Worker or a Durable Object of Cloudflare.
import type { Sandbox } from '../../src/sandbox/sandbox.ts'
import { shell as threadShell } from '../virtual/shell.ts'
import type { ShellOptions } from '../virtual/shell.ts'

/**
 * A simulated bash (just-bash) over the files of whoever asks, in the thread of the Worker or object: there is no other.
 * Nothing can end what computes but its own counts, 5,000 commands and loop steps, and the platform's limit of CPU time.
 */
export function shell(options: ShellOptions = {}): Sandbox {
  return threadShell(options)
}
