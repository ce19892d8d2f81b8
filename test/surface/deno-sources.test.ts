import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const deno = join(root, 'test/runtime/node_modules/.bin/deno')
const missing = [deno, join(root, 'dist/deno-shell-worker.js')].find((path) => !existsSync(path))
const why = missing === undefined ? '' : ` (left out: there is no ${missing.slice(root.length)})`

const program = `
import { javascript, shell } from '${root}adapters/deno/index.ts'
for (const [make, command] of [[shell, 'echo $((6 * 7))'], [javascript, 'return 6 * 7']]) {
  const sandbox = make({ workerUrl: undefined })
  console.log((await sandbox.exec({ command })).stdout.trim())
  await sandbox.dispose()
}
`

describe('in Deno, the sources as they are', () => {
  it.skipIf(missing !== undefined)(`run commands and programs${why}`, { timeout: 120_000 }, () => {
    const folder = mkdtempSync(join(tmpdir(), 'sameloop-deno-'))
    try {
      writeFileSync(join(folder, 'program.ts'), program)
      const args = ['run', '--allow-read', `--config=${join(root, 'deno.json')}`, join(folder, 'program.ts')]
      const { stdout, stderr } = spawnSync(deno, args, { encoding: 'utf8', cwd: root })
      expect([stdout, stderr]).toEqual(['42\n42\n', ''])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
