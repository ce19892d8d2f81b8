// Installs what only tests need to run against (test/peers). Without a registry those tests skip; in CI that is a failure.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, run } from './project.mjs'

const folder = join(root, 'test/peers')
const marker = join(folder, 'node_modules/.package-lock.json')
const names = Object.keys(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).devDependencies)

if (!existsSync(marker) || names.some((name) => !existsSync(join(folder, 'node_modules', name)))) {
  console.log('Installing the peers of the tests (test/peers)')
  const { code, output } = await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folder,
    limitMs: 600_000,
  })
  if (code !== 0) {
    console.log(`The peers could not be installed, their tests skip:\n${output.slice(-2000)}`)
    if (process.env.CI) process.exitCode = 1
  }
}
