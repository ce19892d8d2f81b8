// What runs an agent in this page: the loop, its tools and the models. Loaded when somebody first wants something of it.
import { browser, shell } from '../../adapters/browser/index.ts'
import { instructions } from '../../demo/assistant.ts'
import { adviceFor } from '../../element/view/advice.ts'
import { duration } from '../../element/view/figure.ts'
import { agent } from '../../src/index.ts'
import type { Agent, Hooks, Vfs } from '../../src/index.ts'
import { memoryStore } from '../../src/journal/memory-store.ts'
import { builtinTools } from '../../src/tools.ts'
import { modelOf } from './models.ts'
import type { ModelChoice } from './settings.ts'

/** An agent over the files of a conversation, with a shell of its own that is loaded when a command is first run. */
export function pageAgent(choice: ModelChoice, fs: Vfs, hooks: Hooks): Agent {
  // A conversation is kept by the page itself, and is gone with it when somebody deletes it: no run is logged beside.
  const env = browser({ fs, store: memoryStore(), shell: shell({ workerUrl }) })
  // No wait: a run that asks suspends, and its question survives a reload.
  return agent({ model: modelOf(choice), env, tools: builtinTools({ env }), instructions, hooks, approvalWaitMs: 0 })
}

const workerUrl = new URL('shell-worker.js', document.baseURI)

export type TestResult =
  | { readonly state: 'busy' }
  | { readonly state: 'ok' | 'bad'; readonly words: string; readonly next?: string | undefined }

const patienceMs = 30_000

/** Asks a model for one word, to see whether key, name and address are right. The key is not kept. */
export async function testModel(choice: ModelChoice, key: string): Promise<TestResult> {
  const patience = new AbortController()
  const timer = setTimeout(() => patience.abort(), patienceMs)
  const begun = Date.now()
  try {
    const asked = agent({ model: modelOf(choice, () => key), limits: { steps: 1 }, settings: { maxOutputTokens: 64 } })
    const { status, error } = await asked.run('Answer with the one word: ready', { signal: patience.signal }).result
    if (error !== undefined) return { state: 'bad', words: error.message, next: adviceFor(error.code).next }
    if (status === 'aborted')
      return {
        state: 'bad',
        words: `No answer within ${duration(patienceMs)}`,
        next: 'Check the address, or try again.',
      }
    return { state: 'ok', words: `${choice.model} answered in ${duration(Date.now() - begun)}` }
  } catch {
    return { state: 'bad', words: 'The model could not be asked', next: 'Check the address and the name of the model.' }
  } finally {
    clearTimeout(timer)
  }
}
