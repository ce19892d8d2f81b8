// A run's log as one JSON file, for people to keep, to send and to replay.
import { SameloopError } from '../error/error.ts'
import { checkedLog, logVersion } from '../journal/log.ts'
import type { LogRecord } from '../journal/log.ts'
import { jsonText } from '../json/text.ts'
import { isObject } from '../json/value.ts'
import { misfit } from '../message/shape.ts'

export interface RunFile {
  readonly format: 'sameloop-run'
  readonly version: number
  readonly run: string
  readonly records: readonly LogRecord[]
}

export interface ExportOptions {
  readonly run: string
  /**
   * What to take out of every text, keys included, by the name that stands in its place as `[name]`. Default: what looks
   * like a key or a token of a service, a bearer header, a password in an address, a private key.
   */
  readonly patterns?: Readonly<Record<string, RegExp>> | undefined
}

const secrets: Readonly<Record<string, RegExp>> = {
  key: /\b(?:sk|pk|rk|ghp|gho|ghs|ghu|ghr|github_pat|hf|gsk|xox[abprs]|AKIA|ASIA|AIza|ya29|glpat|npm)[-_]?[\w-]{16,}/g,
  token: /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g,
  bearer: /\b(?:bearer|basic)\s+[\w.~+/=-]{12,}/gi,
  password: /(?<=:\/\/[^\s/:@]{0,64}:)[^\s/@]{1,256}(?=@)/g,
  'private-key': /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
}

/** Plain JSON. What no pattern finds stays in: look at it before you send it. */
export function exportRun(log: readonly LogRecord[], { run, patterns = secrets }: ExportOptions): RunFile {
  const redact = (value: unknown): unknown => {
    if (typeof value === 'string')
      return Object.entries(patterns).reduce(
        (text, [name, pattern]) => text.replaceAll(globally(pattern), `[${name}]`),
        value,
      )
    if (Array.isArray(value)) return value.map(redact)
    if (!isObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [redact(key), redact(item)]))
  }
  const records = log.map(({ seq, type, data }) => ({ seq, type, data: redact(data) as LogRecord['data'] }))
  return { format: 'sameloop-run', version: logVersion, run, records }
}

/** The log of such a file. Throws `journal-invalid` for anything else, and `journal-version` for that of a newer version. */
export function importRun(file: unknown): { readonly run: string; readonly log: readonly LogRecord[] } {
  const wrong = misfit(file, { format: ['sameloop-run'], version: 'number', run: 'string', records: 'array' })
  if (wrong) throw new SameloopError('journal-invalid', `Cannot read the file: ${wrong}`)
  const { version, run, records } = file as RunFile
  if (version > logVersion)
    throw new SameloopError('journal-version', `Cannot read the file: wanted version ${logVersion}, got ${version}`)
  const rows = records.map((record, index) => {
    const odd = misfit(record, { seq: 'number', type: 'string', data: 'object' })
    if (odd) throw new SameloopError('journal-invalid', `Cannot read the file: record ${index + 1}: ${odd}`)
    return { seq: record.seq, type: record.type, data: jsonText(record.data) ?? '' }
  })
  return { run, log: checkedLog(rows) }
}

const globally = (pattern: RegExp): RegExp =>
  pattern.global ? pattern : new RegExp(pattern.source, `${pattern.flags}g`)
