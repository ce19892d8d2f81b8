// The README's example runs as it stands there.
import { build } from 'esbuild'
import type { PluginBuild } from 'esbuild'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, vi } from 'vitest'

const root = join(dirname(fileURLToPath(import.meta.url)), '../..')

/** Entry points of the package as files of this checkout. */
const alias: Readonly<Record<string, string>> = {
  sameloop: join(root, 'src/index.ts'),
  'sameloop/local': join(root, 'src/local.ts'),
  'sameloop/tools': join(root, 'src/tools.ts'),
  'sameloop/valibot': join(root, 'src/valibot.ts'),
  'sameloop/virtual': join(root, 'adapters/virtual/index.ts'),
}

it('prints what it says, and leaves the file', async () => {
  const example = /```ts\n([\s\S]*?)```/.exec(readFileSync(join(root, 'README.md'), 'utf8'))?.[1] ?? ''
  expect(example.split('\n').length).toBeLessThan(32)
  const plugin = {
    name: 'package',
    setup(context: PluginBuild): void {
      context.onResolve({ filter: /^sameloop/ }, ({ path }) => ({ path: alias[path] ?? '' }))
    },
  }
  const { outputFiles } = await build({
    stdin: { contents: example, loader: 'ts', resolveDir: root },
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    write: false,
    // Of the shell, which the example does not use.
    external: ['node:zlib'],
    plugins: [plugin],
  })
  const lines: string[] = []
  const log = vi.spyOn(console, 'log').mockImplementation((...words) => void lines.push(words.join(' ')))
  await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0]?.contents ?? []).toString('base64')}`)
  log.mockRestore()
  expect(lines).toEqual(['get_weather true', 'fs_read true', 'fs_write true', 'done 5'])
})
