// The version of a store on the disk: older ones are brought up to date, newer ones are refused.
import { SameloopError } from '../../../src/error/error.ts'
import { parseJson } from '../../../src/json/text.ts'
import { isObject } from '../../../src/json/value.ts'
import { builtin } from '../builtin.ts'
import { makeDirectories } from '../files/durable.ts'
import { readWhole, writeWhole } from '../log/whole-file.ts'

export interface Format {
  readonly version: number
  /** `migrations[v]` brings a store of version `v` to `v + 1`. It may have been cut off before, and begin again. */
  readonly migrations: Readonly<Record<number, (folder: string) => Promise<void>>>
}

const storeFormat: Format = { version: 1, migrations: {} }

/** Makes the folder ready for this version. Throws `journal-version` for a newer one, and for one that is too old. */
export async function openFormat(folder: string, { version, migrations }: Format = storeFormat): Promise<void> {
  const path = builtin('node:path').join(folder, 'format.json')
  const note = (reached: number): Promise<void> => {
    const data = new TextEncoder().encode(`${JSON.stringify({ format: 'sameloop-runs', version: reached })}\n`)
    return writeWhole({ path, data, fsync: true })
  }
  await makeDirectories(folder, { fsync: true })
  const found = await readWhole(path)
  if (found === undefined) return note(version)
  let reached = versionOf(found)
  if (reached > version)
    throw refused(`wanted version ${version} or older, got ${reached}; it was written by a newer release`)
  for (; reached < version; reached++) {
    const migrate = migrations[reached]
    if (!migrate) throw refused(`nothing leads from version ${reached} to ${version}`)
    await migrate(folder)
    await note(reached + 1)
  }
}

function versionOf(bytes: Uint8Array): number {
  const read = parseJson(new TextDecoder().decode(bytes))
  const version = read.ok && isObject(read.value) ? read.value['version'] : undefined
  if (typeof version !== 'number' || !Number.isInteger(version)) throw refused('its format.json says no version')
  return version
}

const refused = (why: string): SameloopError =>
  new SameloopError('journal-version', `Cannot open the run store: ${why}`)
