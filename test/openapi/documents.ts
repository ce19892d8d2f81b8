// Documents to test against: those of the public suite, and of packages of others.
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openApi } from '../../src/openapi/open-api.ts'
import type { OpenApi, OpenApiOptions } from '../../src/openapi/open-api.ts'
import type { Tool } from '../../src/tool/tool.ts'
import { peer } from '../peers/peers.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '../..')

export interface Place {
  /** What a test calls it. */
  readonly label: string
  readonly file: string
}

const filesUnder = (folder: string | undefined, ending: string, label: string): readonly Place[] =>
  folder === undefined || !existsSync(folder)
    ? []
    : readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith(ending))
        .sort()
        .map((name) => ({ label: `${label}/${name}`, file: join(folder, name) }))

export const suite: readonly Place[] = filesUnder(
  join(root, '../shared/suites/openapi-examples/examples'),
  '.json',
  'examples',
)

export const readme: readonly Place[] = ['3.0', '3.1'].flatMap((version) =>
  filesUnder(peer(`@readme/oas-examples/${version}`), '.json', relative('/', `/${version}`)),
)

export const yaml: readonly Place[] = ['3.0', '3.1'].flatMap((version) =>
  filesUnder(peer(`@readme/oas-examples/${version}`), '.yaml', version),
)

export const octokit: readonly Place[] = filesUnder(peer('@octokit/openapi/generated'), '.json', 'octokit')

export const readText = ({ file }: Place): string => readFileSync(file, 'utf8')

/** The tools of a document, which is connected. */
export async function toolsOf(
  document: string | object,
  options: Partial<OpenApiOptions> = {},
): Promise<{ readonly source: OpenApi; readonly tools: readonly Tool[] }> {
  const source = openApi({ name: 'doc', document, url: 'https://api.example', ...options })
  await source.connect?.()
  return { source, tools: await source.list() }
}
