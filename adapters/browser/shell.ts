// The shell in a web page and its Workers, and in a browser extension.
import { inWorker } from '../../src/isolated/in-worker.ts'
import type { Sandbox } from '../../src/sandbox/sandbox.ts'
import { justBashFacts } from '../virtual/just-bash/facts.ts'
import { shell as threadShell } from '../virtual/shell.ts'
import type { WorkerSandboxOptions } from '../virtual/sandbox-options.ts'
import { browserWorker } from './worker.ts'

export type ShellOptions = WorkerSandboxOptions

/**
 * A simulated bash (just-bash) in a Worker of its own, over the files of whoever asks: the page goes on whatever it does,
 * and an abort or timeout ends it at once. The Worker starts with the first command; `/tmp` lasts as long as it. Where
 * there are no Workers, as in a service worker, it runs in this thread and only its own counts end what computes.
 */
export function shell({ workerUrl, ...options }: ShellOptions = {}): Sandbox {
  if (typeof Worker === 'undefined') return threadShell(options)
  const url = workerUrl ?? new URL('./browser-shell-worker.js', import.meta.url)
  return inWorker({ ...justBashFacts, ...options, start: () => browserWorker(url) })
}
