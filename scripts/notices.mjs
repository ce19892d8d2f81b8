// The licences of what is bundled into dist, as their own packages say them: dist/THIRD-PARTY-NOTICES.txt.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './project.mjs'

/** Packages whose published file already holds others: those they depend on are named, too. */
const prebundled = ['just-bash']
/** What is changed in a package on its way into a bundle. */
const changes = { 'just-bash': 'It is changed here as the source file scripts/bundled-shell.mjs of this project says.' }

const nameOf = (path) => /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]
const folderOf = (name) => join(root, 'node_modules', name)
const manifestOf = (name) => JSON.parse(readFileSync(join(folderOf(name), 'package.json'), 'utf8'))

/** The texts of licence and notice of a package, or what its manifest says of them. */
function textsOf(name) {
  const files = readdirSync(folderOf(name)).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file))
  const texts = files.map((file) => readFileSync(join(folderOf(name), file), 'utf8').trim())
  return texts.length > 0 ? texts : [`Licence: ${manifestOf(name).license}`]
}

function noticeOf(name) {
  const { version, license, homepage, repository } = manifestOf(name)
  const from = homepage ?? (typeof repository === 'string' ? repository : repository?.url) ?? ''
  const head = [`${name} ${version} (${license})`, from, changes[name] ?? ''].filter((line) => line !== '')
  return [head.join('\n'), ...textsOf(name)].join('\n\n')
}

/** The names of the packages that these inputs of esbuild come from, and of what those hold in turn. */
function packagesOf(inputs) {
  const named = inputs.map(nameOf).filter((name) => name !== undefined)
  const held = prebundled
    .filter((name) => named.includes(name))
    .flatMap((name) => Object.keys(manifestOf(name).dependencies))
  return [...new Set([...named, ...held])]
    .filter((name) => existsSync(folderOf(name)))
    .sort((left, right) => (left < right ? -1 : 1))
}

/** Writes the notices for the inputs of all builds into `outdir`. */
export function writeNotices(metafiles, outdir) {
  const names = packagesOf(metafiles.flatMap(({ inputs }) => Object.keys(inputs)))
  const line = '-'.repeat(80)
  const opening = 'This package holds code of the following packages, each under its own licence.'
  writeFileSync(
    join(root, outdir, 'THIRD-PARTY-NOTICES.txt'),
    `${[opening, ...names.map(noticeOf)].join(`\n\n${line}\n\n`)}\n`,
  )
}
