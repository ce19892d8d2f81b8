// The body of a request: which media type, and how its values are written.
import { mediaTypeOf } from '../http/body.ts'
import { jsonText } from '../json/text.ts'
import { isObject, own } from '../json/value.ts'
import type { JsonSchema } from '../schema/schema.ts'
import { base64Bytes } from '../stream/base64.ts'
import { joinBytes } from '../stream/bytes.ts'
import type { ToolContext } from '../tool/context.ts'
import { absolutePath, pathName } from '../vfs/path.ts'
import { namedEntries, textIn } from './document.ts'
import { encoded, queryPairs } from './style.ts'

export type BodyKind = 'json' | 'form' | 'multipart' | 'text' | 'binary'

export interface MediaType {
  readonly type: string
  readonly kind: BodyKind
  /** The media type object: schema, encoding, examples. */
  readonly node: unknown
}

/** How the body of an operation is made. */
export interface BodyShape extends MediaType {
  /** The fields of a form that are files. */
  readonly files: readonly string[]
}

const kinds: readonly (readonly [BodyKind, RegExp])[] = [
  ['json', /^application\/json$/],
  ['json', /[/+]json$|^(?:\*|application)\/\*$/],
  ['form', /^application\/x-www-form-urlencoded$/],
  ['multipart', /^multipart\/form-data$/],
  ['text', /^text\/|[/+]xml$|[/+]yaml$/],
  ['binary', /\//],
]

/** The media type that says most about its values: JSON before forms, forms before text, text before bytes. */
export function bestMedia(content: unknown): MediaType | undefined {
  const entries = namedEntries(content).filter(([type]) => /^[\x21-\x7e ]+$/.test(type))
  for (const [kind, pattern] of kinds) {
    const found = entries.find(([type]) => pattern.test(mediaTypeOf(type)))
    if (found) return { kind, type: concrete(found[0], kind), node: found[1] }
  }
  return undefined
}

const anyType: Readonly<Partial<Record<BodyKind, string>>> = { json: 'application/json', text: 'text/plain' }

const concrete = (type: string, kind: BodyKind): string =>
  type.includes('*') ? (anyType[kind] ?? 'application/octet-stream') : type

/** What a model gives where bytes are wanted. */
export const fileSchema = (description: string | undefined): JsonSchema => ({
  type: 'object',
  description: description ?? 'A file: its text, its bytes as base64, or the path of one of your files',
  properties: {
    text: { type: 'string' },
    base64: { type: 'string', contentEncoding: 'base64' },
    path: { type: 'string', description: 'Of one of your files' },
    filename: { type: 'string' },
  },
  additionalProperties: false,
})

/** Whether a property of a form is bytes: by its schema, or by the type that its encoding names. */
export function isBinary(schema: unknown, encoding: unknown): boolean {
  const type = textIn(encoding, 'contentType')
  if (own(schema, 'format') === 'binary') return true
  if (textIn(schema, 'contentMediaType') !== undefined) return textIn(schema, 'contentEncoding') === undefined
  return type !== undefined && own(schema, 'type') === 'string' && !/json|^text\//.test(type)
}

export interface Body {
  readonly body: string | Uint8Array
  readonly contentType: string
}

interface File {
  readonly bytes: Uint8Array
  readonly filename: string
}

/** The body with this value, or in words why there is none. Throws what reading a file throws. */
export async function writeBody(shape: BodyShape, value: unknown, context: ToolContext): Promise<Body | string> {
  const { type, kind, node } = shape
  const encoding = own(node, 'encoding')
  switch (kind) {
    case 'json':
      return { body: JSON.stringify(value), contentType: type }
    case 'text':
      return { body: typeof value === 'string' ? value : (jsonText(value) ?? ''), contentType: type }
    case 'form':
      return { body: formText(value, encoding), contentType: type }
    case 'binary': {
      const file = await readFile(value, context)
      return typeof file === 'string' ? `Property "body": ${file}` : { body: file.bytes, contentType: type }
    }
    case 'multipart':
      return multipart(shape, value, context)
  }
}

const isStyled = (encoding: unknown): boolean =>
  ['style', 'explode', 'allowReserved'].some((key) => own(encoding, key) !== undefined)

function formText(value: unknown, encodings: unknown): string {
  const pairs = fieldsOf(value).flatMap(([name, field]) => {
    const encoding = own(encodings, name)
    const style = textIn(encoding, 'style') ?? 'form'
    const explode = own(encoding, 'explode') ?? style === 'form'
    if (isStyled(encoding))
      return queryPairs(
        { name, style, explode: explode === true, allowReserved: own(encoding, 'allowReserved') === true },
        field,
      )
    return [field].flat().map((item) => `${encoded(name)}=${encoded(fieldText(item))}`)
  })
  return pairs.join('&')
}

/** A field that is `null` is left out: a form has no word for it. */
const fieldsOf = (value: unknown): readonly (readonly [string, unknown])[] =>
  isObject(value) ? Object.entries(value).filter(([, field]) => field !== null && field !== undefined) : []

const fieldText = (value: unknown): string =>
  typeof value === 'object' && value !== null ? (jsonText(value) ?? '') : String(value)

async function multipart({ node, files }: BodyShape, value: unknown, context: ToolContext): Promise<Body | string> {
  const parts: Uint8Array[] = []
  for (const [name, field] of fieldsOf(value)) {
    const type = partType(own(own(node, 'encoding'), name))
    for (const item of [field].flat() as unknown[]) {
      const file = files.includes(name) ? await readFile(item, context) : undefined
      if (typeof file === 'string') return `Property "${name}": ${file}`
      parts.push(file ? filePart(name, file, type) : valuePart(name, item, type))
    }
  }
  const boundary = boundaryFor(parts, context.callId)
  const marked = parts.flatMap((part) => [bytesOf(`--${boundary}\r\n`), part, bytesOf('\r\n')])
  const body = joinBytes([...marked, bytesOf(`--${boundary}--\r\n`)])
  return { body, contentType: `multipart/form-data; boundary=${boundary}` }
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

/** The first type that an encoding names, where it can stand in a header. */
function partType(encoding: unknown): string | undefined {
  const type = textIn(encoding, 'contentType')?.split(',')[0]?.trim()
  return type !== undefined && /^[\w.+-]+\/[\w.+-]+(?:;[ -~]*)?$/.test(type) ? type : undefined
}

function valuePart(name: string, value: unknown, type: string | undefined): Uint8Array {
  const contentType = type ?? (typeof value === 'object' ? 'application/json' : undefined)
  return bytesOf(partHead(name, contentType) + fieldText(value))
}

const filePart = (name: string, { bytes, filename }: File, type = 'application/octet-stream'): Uint8Array =>
  joinBytes([bytesOf(partHead(name, type, `; filename="${quoted(filename)}"`)), bytes])

function partHead(name: string, type: string | undefined, more = ''): string {
  const typeLine = type === undefined ? '' : `Content-Type: ${type}\r\n`
  return `Content-Disposition: form-data; name="${quoted(name)}"${more}\r\n${typeLine}\r\n`
}

const escapes: Readonly<Record<string, string>> = { '"': '%22', '\r': '%0D', '\n': '%0A' }

/** As the standard of HTML forms writes names. */
const quoted = (name: string): string => name.replace(/["\r\n]/g, (one) => escapes[one] ?? '')

/** A line that stands in none of the parts; the same for the same call, so that runs can be compared. */
function boundaryFor(parts: readonly Uint8Array[], callId: string): string {
  const base = `sameloop-${callId.replace(/[^a-zA-Z0-9]/g, '').slice(0, 40)}`
  const texts = parts.map((part) => new TextDecoder().decode(part))
  for (let number = 0; ; number++) {
    const boundary = `${base}-${number}`
    if (!texts.some((text) => text.includes(boundary))) return boundary
  }
}

const mostFileBytes = 16 * 2 ** 20

/** The bytes that a model gave, in one of the three ways that `fileSchema` has. */
async function readFile(value: unknown, context: ToolContext): Promise<File | string> {
  const { text, base64, path, filename } = (isObject(value) ? value : {}) as Partial<Record<string, string>>
  const given = [text, base64, path].filter((one) => one !== undefined)
  if (given.length !== 1) return 'wanted one of "text", "base64" and "path"'
  if (path !== undefined) return fileAt(path, filename, context)
  const bytes = text === undefined ? base64Bytes(base64 ?? '') : bytesOf(text)
  return bytes ? { bytes, filename: filename ?? 'file' } : 'wanted base64'
}

async function fileAt(path: string, filename: string | undefined, context: ToolContext): Promise<File | string> {
  const { fs, signal } = context
  const at = absolutePath(fs, path)
  const found = await fs.stat(at, { signal })
  if (found?.type !== 'file') return `there is no file "${path}"`
  if (found.size > mostFileBytes) return `"${path}" has more than ${mostFileBytes} bytes`
  return { bytes: await fs.read(at, { signal }), filename: filename ?? pathName(at) }
}
