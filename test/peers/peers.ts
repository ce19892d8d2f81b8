// Servers, clients and documents of others that tests run against. They live in a package of their own, so that `npm ci` stays light.
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))

/** The folder of an installed package, or of a path in it; undefined where it is not installed. */
export function peer(path: string): string | undefined {
  const file = join(here, 'node_modules', path)
  return existsSync(file) ? file : undefined
}

/** The reason to skip, in words. */
export const noPeer = (name: string): string =>
  `${name} is not installed: \`npm ci --prefix test/peers --ignore-scripts\` brings it`
