// Processes that are killed at any moment: who comes next finds everything as it was before, or as it was to be.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fileStore } from '../../../../adapters/node/store/file-store.ts'
import { check, equal } from '../../../../src/testing/assertion.ts'
import type { ContractCase } from '../../../../src/testing/contract/case.ts'
import { contractCase } from '../report.ts'
import { scratch } from '../disk/scratch.ts'

const program = fileURLToPath(new URL('crash-program.js', import.meta.url))

/** How this runtime runs a program. */
const runner = (): readonly string[] => {
  if ('Deno' in globalThis) return ['run', '--no-remote', '--no-config', '--no-prompt', '--no-npm', '-A', program]
  return 'Bun' in globalThis ? ['--no-install', program] : [program]
}

interface Ended {
  readonly signal: string | null
  readonly lines: readonly string[]
}

/** Runs the program; `onLine` may kill it. */
function played(args: readonly string[], onLine?: (line: string, kill: () => void) => void): Promise<Ended> {
  const child = spawn(process.execPath, [...runner(), ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  let told = 0
  child.stdout.on('data', (data: Uint8Array) => {
    text += new TextDecoder().decode(data)
    const lines = text.split('\n').slice(0, -1)
    for (const line of lines.slice(told)) onLine?.(line, () => child.kill('SIGKILL'))
    told = lines.length
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (_code, signal) => resolve({ signal, lines: text.split('\n').filter((line) => line !== '') }))
  })
}

const said = ({ lines }: Ended): unknown => JSON.parse(lines.at(-1) ?? 'null')

/** Where to kill: few places at first sight, all of them over the runtimes and the works together. */
function* places(step: number): Generator<number, void, void> {
  for (let at = 1; ; at += step) yield at
}

const killed: readonly ContractCase[] = [
  contractCase('an agent that is killed goes on, and each of its changes is made once', async () => {
    let count = 0
    for (const at of places(7)) {
      const root = await scratch()
      const { signal } = await played(['agent', root, `${at}`])
      const { before, ...end } = said(await played(['agent', root])) as Record<string, unknown>
      equal([at, end], [at, { status: 'done', lines: 'line\nline\n', notes: 'one' }])
      if (signal === null) {
        equal(before, 'done')
        break
      }
      count += 1
    }
    check(count > 6, 'a process that was killed at many places')
  }),
  contractCase('a commit of several files that is killed is made whole, or not at all', async () => {
    const seen = new Set<string>()
    for (const at of places(2)) {
      const root = await scratch()
      const { signal } = await played(['commit', root, `${at}`])
      const tree = JSON.stringify(said(await played(['commit', root, 'look'])))
      seen.add(tree)
      check(['["old","old","old",""]', '["new","new","","new"]'].includes(tree), `after change ${at}: got ${tree}`)
      if (signal === null) break
    }
    equal(seen.size, 2)
  }),
  contractCase('a log whose writer is killed has all that was said to be in it', async () => {
    const root = await scratch()
    let last = 0
    for (const limit of [1, 9, 30]) {
      let told = 0
      const { signal } = await played(['appends', root], (line, kill) => {
        last = Math.max(last, Number(line))
        if ((told += 1) === limit) kill()
      })
      equal(signal, 'SIGKILL')
      const found: number[] = []
      for await (const { seq } of fileStore(root).read('a', 0)) found.push(seq)
      check(found.length >= last && found.length % 2 === 0, `all of ${last} records, got ${found.length}`)
      equal(
        found,
        Array.from({ length: found.length }, (_, index) => index + 1),
      )
    }
  }),
  contractCase('a process whose run was taken over is refused', async () => {
    const root = await scratch()
    const store = fileStore(root)
    let taken: Promise<{ readonly epoch: number; readonly lastSeq: number }> | undefined
    const ended = await played(['appends', root], () => void (taken ??= store.lease('a')))
    equal(said(ended), { refusal: 'journal-conflict' })
    const { epoch, lastSeq } = await taken!
    await store.append('a', [{ seq: lastSeq + 1, type: 'mine', data: '1' }], { expectSeq: lastSeq, epoch })
    const found: number[] = []
    for await (const { seq } of fileStore(join(root, '.')).read('a', 0)) found.push(seq)
    equal(
      found,
      Array.from({ length: lastSeq + 1 }, (_, index) => index + 1),
    )
  }),
]

export const crashCases: readonly ContractCase[] = killed
