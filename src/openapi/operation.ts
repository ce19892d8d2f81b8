// The operations of a document: under stable names, chosen, each with the address of its server.
import { SameloopError } from '../error/error.ts'
import { guarded } from '../error/guard.ts'
import { isObject, own } from '../json/value.ts'
import type { JsonObject } from '../json/value.ts'
import { starTest } from '../pattern/star.ts'
import { templateProblem } from '../rest/parameter.ts'
import { uniqueNames } from '../tool/tool-names.ts'
import { follow, listIn, namedEntries, textIn, unusable } from './document.ts'
import type { OpenApiDocument } from './document.ts'

/** An operation as a program sees it that chooses among them or has credentials for them. */
export interface OpenApiOperation {
  /** Of its tool, without scheme and source. */
  readonly name: string
  /** Its `operationId`, where it has one. */
  readonly id: string | undefined
  /** In capitals. */
  readonly method: string
  /** With `{name}` for what comes from the input. */
  readonly path: string
  readonly tags: readonly string[]
  readonly summary: string | undefined
  readonly deprecated: boolean
}

/**
 * Which operations become tools: those with one of the tags, those that `operations` names (a name, an `operationId` or
 * `GET /path`, each with `*` for any text), or those that a function takes. Default: all that are not deprecated; a
 * deprecated one has to be named, or taken by a function.
 */
export type OpenApiInclude =
  | { readonly tags?: readonly string[] | undefined; readonly operations?: readonly string[] | undefined }
  | ((operation: OpenApiOperation) => boolean)

/** An operation with the nodes that it was found in. */
export interface FoundOperation {
  readonly about: OpenApiOperation
  readonly node: JsonObject
  readonly item: JsonObject
}

export interface OpenApiProblem {
  /** `GET /path`, or a path alone. */
  readonly operation: string
  readonly problem: string
}

/** `TRACE` is not for `fetch`, and `OPTIONS` for nobody who has the document. */
const methods: ReadonlySet<string> = new Set(['get', 'head', 'post', 'put', 'patch', 'delete'])

/** All operations, in the order of the document. `shortBy` is the room that the name of the source takes. */
export function findOperations(
  document: OpenApiDocument,
  shortBy: number,
  report: (problem: OpenApiProblem) => void,
): readonly FoundOperation[] {
  const unique = uniqueNames(Math.max(16, 64 - shortBy))
  return namedEntries(own(document.root, 'paths')).flatMap(([written, given]) => {
    // A fragment tells operations of one path apart, and is never sent.
    const [path = ''] = written.split('#')
    const item = pathItem(document, path, given, report)
    const entries = Object.entries(item).filter(([method, node]) => methods.has(method) && isObject(node))
    return entries.map(([key, given]): FoundOperation => {
      const node = given as JsonObject
      const method = key.toUpperCase()
      const id = textIn(node, 'operationId')
      const tags = listIn(node, 'tags').filter((tag) => typeof tag === 'string')
      const deprecated = own(node, 'deprecated') === true
      const name = unique(cleanName(id ?? '') || cleanName(`${key}_${written}`))
      const about = { name, id, method, path, tags, summary: textIn(node, 'summary'), deprecated }
      return { about, node, item }
    })
  })
}

/** A path item may be a reference, with more beside it. */
function pathItem(
  document: OpenApiDocument,
  path: string,
  given: unknown,
  report: (problem: OpenApiProblem) => void,
): JsonObject {
  try {
    const problem = templateProblem(path)
    if (problem === undefined) return { ...follow(document, given), ...(given as JsonObject) }
    report({ operation: path, problem })
  } catch (thrown) {
    report({ operation: path, problem: (thrown as Error).message })
  }
  return {}
}

/** A name as providers accept it: runs of anything else become "_". */
const cleanName = (text: string): string =>
  text
    .replace(/[^a-zA-Z0-9_-]+/g, '_')
    .replace(/_{2,}/g, '_')
    .replace(/^_|_$/g, '')

/** Throws `config-invalid` for a tag or a pattern that chooses nothing. */
export function chosen(
  operations: readonly FoundOperation[],
  include: OpenApiInclude | undefined,
): readonly FoundOperation[] {
  if (typeof include === 'function') return operations.filter(({ about }) => include(about))
  const all = operations.map(({ about }) => about)
  const tags = include?.tags ?? []
  const unknown = tags.find((tag) => !all.some((one) => one.tags.includes(tag)))
  if (unknown !== undefined) throw useless(`no operation has the tag "${unknown}"`)
  const tests = (include?.operations ?? []).map((pattern) => {
    const test = starTest(pattern)
    const isNamed = ({ name, id, method, path }: OpenApiOperation): boolean =>
      [name, id ?? name, `${method} ${path}`].some(test)
    if (!all.some(isNamed)) throw useless(`there is no operation "${pattern}"`)
    return isNamed
  })
  return operations.filter(({ about }) => {
    if (tests.some((isNamed) => isNamed(about))) return true
    return !about.deprecated && (include === undefined || about.tags.some((tag) => tags.includes(tag)))
  })
}

const useless = (problem: string): SameloopError =>
  new SameloopError('config-invalid', `Cannot include what is not there: ${problem}`)

export interface ServerChoice {
  readonly url?: string | undefined
  readonly serverVariables?: Readonly<Record<string, string>> | undefined
}

/** Where the paths of these nodes begin: by the choice, else by the innermost node that names servers, else the document. */
export function serverUrl(document: OpenApiDocument, nodes: readonly unknown[], choice: ServerChoice): string {
  if (choice.url !== undefined) return choice.url
  const server = nodes.map((node) => listIn(node, 'servers')[0]).find((found) => found !== undefined)
  const template = textIn(server, 'url') ?? '/'
  const filled = template.replace(/\{([^{}]+)\}/g, (_, name: string) => variable(server, name, choice))
  const url = guarded(() => new URL(filled, document.url).href, undefined)
  if (url === undefined) throw unusable(`its server "${filled}" is no whole address: give url`)
  return url
}

function variable(server: unknown, name: string, { serverVariables }: ServerChoice): string {
  const value = own(serverVariables, name) ?? own(own(own(server, 'variables'), name), 'default')
  if (typeof value === 'string' || typeof value === 'number') return String(value)
  throw unusable(`its server has no value for "{${name}}": give it by serverVariables`)
}

/** Throws `config-invalid` for a server variable that no server has, or whose value none allows. */
export function checkVariables(nodes: readonly unknown[], variables: Readonly<Record<string, string>>): void {
  const servers = nodes.flatMap((node) => listIn(node, 'servers'))
  for (const [name, value] of Object.entries(variables)) {
    const declared = servers.map((server) => own(own(server, 'variables'), name)).filter((one) => one !== undefined)
    if (declared.length === 0) throw wrongVariable(name, 'no server of the document has it')
    const choices = declared.map((one) => listIn(one, 'enum'))
    if (!choices.some((values) => values.length === 0 || values.includes(value)))
      throw wrongVariable(name, `wanted one of ${choices.flat().join(', ')}, got "${value}"`)
  }
}

const wrongVariable = (name: string, problem: string): SameloopError =>
  new SameloopError('config-invalid', `Cannot use the server variable "${name}": ${problem}`)
