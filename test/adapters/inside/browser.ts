// The adapters of a page, a Worker, a service worker and an extension page, each under its contract.
import { indexedDbFiles, indexedDbStore } from '../../../adapters/browser/index.ts'
import { shell } from '../../../adapters/browser/shell.ts'
import { python } from '../../../adapters/browser/python.ts'
import { javascript } from '../../../adapters/browser/javascript.ts'
import { memoryFiles } from '../../../adapters/virtual/vfs.ts'
import { storeContract } from '../../../src/testing/contract/store.ts'
import type { StoreUnderTest } from '../../../src/testing/contract/store.ts'
import { vfsContract } from '../../../src/testing/contract/vfs.ts'
import { vfsSequences } from '../../../src/testing/contract/vfs-sequences.ts'
import type { Vfs } from '../../../src/vfs/vfs.ts'
import { pythonSuites, withoutPython } from './code/python-suites.ts'
import { frameCases } from './code/python-frame.ts'
import { javascriptSuites } from './code/javascript-suites.ts'
import { measure } from './measure.ts'
import { reportOf } from './report.ts'
import { measureShell } from './shell/measure.ts'
import { shellSuites } from './shell/suites.ts'
import type { Suite } from './report.ts'
import { idbCases } from './web/idb.ts'
import { freshOpfs, opfsSuites } from './web/opfs.ts'
import { freshName, removeDatabase } from './web/place.ts'

const memory = async () => memoryFiles()

const idbFiles = async (): Promise<Vfs> => {
  const name = freshName()
  const files = indexedDbFiles({ name })
  const dispose = async (): Promise<void> => {
    await files.dispose?.()
    await removeDatabase(name)
  }
  return { ...files, dispose }
}

/** A store with files, and the same database opened again. */
const idbStore = async (): Promise<StoreUnderTest> => {
  const name = freshName()
  const opened: Vfs[] = []
  const open = async () => {
    const files = indexedDbFiles({ name })
    opened.push(files)
    return indexedDbStore({ files })
  }
  const dispose = async (): Promise<void> => {
    for (const files of opened) await files.dispose?.()
    await removeDatabase(name)
  }
  return { store: await open(), reopen: open, dispose }
}

/** Why there is no Python here. */
function lackingPython(): string | undefined {
  if (typeof document === 'undefined') return 'a Worker has no frames'
  if (location.protocol !== 'http:') return 'the page of an extension may start no Worker that it made up'
  // Epiphany and Safari name no other engine.
  const isWebkit = /AppleWebKit/.test(navigator.userAgent) && !/Chrom/.test(navigator.userAgent)
  return isWebkit ? 'in WebKit the script of the frame does not run, and why is not known yet' : undefined
}

function pythonOfPage(): readonly Suite[] {
  const lacking = lackingPython()
  if (lacking !== undefined) return withoutPython(lacking)
  const frame = { name: 'python, its frame', cases: frameCases }
  return [...pythonSuites(() => python({ indexUrl: './pyodide' })), frame]
}

const suites = async (): Promise<readonly Suite[]> => [
  { name: 'memoryFiles', cases: [...vfsContract(memory), ...vfsSequences(memory)] },
  { name: 'indexedDbFiles', cases: [...vfsContract(idbFiles, ['watch']), ...vfsSequences(idbFiles)] },
  { name: 'indexedDbStore', cases: storeContract(idbStore) },
  ...shellSuites(() => shell()),
  { name: 'IndexedDB', cases: idbCases },
  ...(await opfsSuites()),
  ...javascriptSuites({ make: () => javascript() }),
  ...pythonOfPage(),
]

export async function report(): Promise<string> {
  await measure({ indexedDbFiles: idbFiles, opfsFiles: freshOpfs })
  await measureShell(() => shell())
  return reportOf(await suites())
}
