import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { shell } from '../../../adapters/virtual/shell.ts'
import { memoryFiles } from '../../../src/vfs/memory.ts'
import { builtShell } from './bundle.ts'
import type { BuiltShell } from './bundle.ts'

interface Fixture {
  readonly command: string
  readonly files: Readonly<Record<string, string>>
  readonly stdout: string
  readonly exitCode: number
}

const folder = fileURLToPath(new URL('../../../../shared/suites/just-bash-fixtures/fixtures', import.meta.url))
const isThere = existsSync(folder)
/** What the package alone gives in Node. */
const least = 769

const fixtures = (): readonly Fixture[] =>
  readdirSync(folder).flatMap((file) =>
    Object.values(JSON.parse(readFileSync(join(folder, file), 'utf8')) as Record<string, Fixture>),
  )

/** Columns are as wide as a real program's, or not: the suite itself does not say. */
const withoutBlanks = (text: string): string => text.replace(/^ +/gm, '').replace(/ +/g, ' ')

describe('commands with what a real bash printed', () => {
  let built: BuiltShell
  beforeAll(async () => {
    built = await builtShell()
  })
  afterAll(() => built.remove())

  it.skipIf(!isThere)(
    `are answered alike, at least ${least} of them${isThere ? '' : ' (they are not beside the repository)'}`,
    { timeout: 120_000 },
    async () => {
      const sandbox = shell({ load: built.load })
      let [exact, alike, count] = [0, 0, 0]
      for (const { command, files, stdout, exitCode } of fixtures()) {
        const entries = Object.entries(files).map(([path, text]) => [`/w/${path}`, text])
        const fs = memoryFiles({ files: { '/w/.made': '', ...Object.fromEntries(entries) } })
        await fs.rm('/w/.made')
        const result = await sandbox.exec({ command, fs, cwd: '/w', timeoutMs: 20_000 })
        count += 1
        if (result.exitCode !== exitCode) continue
        if (result.stdout === stdout) exact += 1
        if (withoutBlanks(result.stdout) === withoutBlanks(stdout)) alike += 1
      }
      await sandbox.dispose()
      console.log(`${exact} of ${count} commands as in a real bash, ${alike} but for the width of columns`)
      expect(exact).toBeGreaterThanOrEqual(least)
    },
  )
})
