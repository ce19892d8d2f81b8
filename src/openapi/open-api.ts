// `openApi()`: the operations of an OpenAPI document as tools.
import { amounts } from '../error/amount.ts'
import { describeThrown } from '../error/describe.ts'
import { SameloopError, isSameloopError } from '../error/error.ts'
import { guarded } from '../error/guard.ts'
import type { Fetch } from '../host/host.ts'
import { effectOf } from '../http/method.ts'
import { resolveSecret } from '../http/secret.ts'
import type { Secret } from '../http/secret.ts'
import { cut, excerpt } from '../json/text.ts'
import type { RestAuth } from '../rest/auth.ts'
import { baseUrl } from '../rest/rest-server.ts'
import { previewOf, send } from '../rest/send.ts'
import type { RestTarget } from '../rest/send.ts'
import { jsonSchema } from '../schema/check.ts'
import type { StandardSchema } from '../schema/schema.ts'
import type { ToolContext } from '../tool/context.ts'
import { tool } from '../tool/define.ts'
import type { ToolSource } from '../tool/source.ts'
import { fail } from '../tool/tool.ts'
import type { Tool, ToolAnswer } from '../tool/tool.ts'
import { loadDocument, textIn, unusable } from './document.ts'
import type { OpenApiDocument, ParseDocument } from './document.ts'
import { checkVariables, chosen, findOperations, serverUrl } from './operation.ts'
import type { FoundOperation, OpenApiInclude, OpenApiProblem } from './operation.ts'
import { schemasOf } from './schema.ts'
import type { Schemas } from './schema.ts'
import { checkAuth, chooseAuth, requirementsOf, schemesOf, signWith } from './security.ts'
import type { OpenApiAuth, OpenApiScheme } from './security.ts'
import { answersOf, fillAddress, fillOperation, shapeOf } from './shape.ts'
import type { Answers } from './shape.ts'

export interface OpenApiOptions {
  /** Of the source: tools are `openapi://name.operation`. Letters, digits, `_` and `-`. */
  readonly name: string
  /** The document itself, parsed or as text, or its address, from which it is read on each connect (at most 32 MiB). */
  readonly document: string | URL | object
  /** For a text that is no JSON, for example `YAML.parse`. */
  readonly parse?: ParseDocument | undefined
  /** Where all paths begin, whatever servers the document, its paths and operations name. */
  readonly url?: string | undefined
  /** For the servers of the document; the rest have their defaults. */
  readonly serverVariables?: Readonly<Record<string, string>> | undefined
  /** Default: requests are not signed, whatever the document asks. */
  readonly auth?: OpenApiAuth | undefined
  /** Sent with every request. A function is asked each time. */
  readonly headers?: Readonly<Record<string, Secret>> | undefined
  /**
   * Further origins that `auth` and `headers` are for, for example `https://uploads.example.com`, where some operations
   * have a server of their own. Default: the one of `url`, or of the document's first server.
   */
  readonly origins?: readonly string[] | undefined
  readonly include?: OpenApiInclude | undefined
  /**
   * Default: `ctx.fetch` of the call, which the policy guards, and for the document a guarded fetch that takes public
   * https addresses alone. A fetch given here is for both, and is not guarded.
   */
  readonly fetch?: Fetch | undefined
  /** The largest answer. Default 2 MiB. */
  readonly maxResponseBytes?: number | undefined
  /** Whether an answer has to fit the schema that the document has for it. Default true. */
  readonly checkResponses?: boolean | undefined
}

export interface OpenApi extends ToolSource {
  readonly scheme: 'openapi'
  /** What of the document could not be used, known once it is connected: such an operation is no tool, the others are. */
  readonly problems: readonly OpenApiProblem[]
}

interface Compiled {
  readonly tools: readonly Tool[]
  readonly problems: readonly OpenApiProblem[]
}

/** Checked, with the default of what is a number. */
type ReadyOptions = OpenApiOptions & { readonly maxResponseBytes: number }

const mostOperations = 5000

/**
 * The operations of an OpenAPI document (3.0 or 3.1) as tools with their real schemas:
 * `registry.addSource(openApi({ name: 'shop', document: 'https://…/openapi.json', auth: { key: () => … } }))`.
 * Throws `config-invalid` for options that cannot be used; a document that cannot is `source-failed` when it is connected.
 * At most 5,000 operations.
 */
export function openApi(options: OpenApiOptions): OpenApi {
  const { name, url = 'https://server.invalid', headers = {} } = options
  baseUrl({ name, url })
  const { maxResponseBytes } = amounts(options, { maxResponseBytes: 2 ** 21 })
  const given = { ...options, maxResponseBytes }
  for (const origin of options.origins ?? []) originOf(origin)
  let compiled: Compiled | undefined
  return {
    scheme: 'openapi',
    name,
    get problems() {
      return compiled?.problems ?? []
    },
    async connect() {
      compiled = await compiledFrom(given)
      for (const [header, value] of Object.entries(headers)) await resolveSecret(value, `the header "${header}"`)
    },
    list: async () => (compiled ??= await compiledFrom(given)).tools,
    async close() {
      compiled = undefined
    },
  }
}

async function compiledFrom(options: ReadyOptions): Promise<Compiled> {
  try {
    const document = await loadDocument(options)
    await checkAuth(document, options.auth)
    return toolsOf(document, options)
  } catch (thrown) {
    if (!isSameloopError(thrown, 'source-failed')) throw thrown
    const { message, retryable } = thrown
    const text = `Cannot use the OpenAPI document "${options.name}": ${message}`
    throw new SameloopError('source-failed', text, { cause: thrown.cause, retryable })
  }
}

function toolsOf(document: OpenApiDocument, options: ReadyOptions): Compiled {
  const problems: OpenApiProblem[] = []
  const report = (problem: OpenApiProblem): void => void problems.push(problem)
  const all = findOperations(document, options.name.length + 1, report)
  checkVariables([document.root, ...all.flatMap(({ node, item }) => [node, item])], options.serverVariables ?? {})
  const wanted = chosen(all, options.include)
  if (wanted.length > mostOperations)
    throw unusable(`it has ${wanted.length} operations, and at most ${mostOperations} can be tools: use include`)
  const making = startMaking(document, options, report)
  const tools = wanted.flatMap((operation) => {
    try {
      return [toolOf(making, operation)]
    } catch (thrown) {
      report({ operation: placeOf(operation), problem: describeThrown(thrown) })
      return []
    }
  })
  const [first] = problems
  if (tools.length === 0 && wanted.length > 0 && first)
    throw unusable(`none of its operations can be a tool, "${first.operation}" because ${first.problem}`)
  return { tools, problems }
}

const placeOf = ({ about }: FoundOperation): string => `${about.method} ${about.path}`

/** What all operations of a document share. */
interface Making {
  readonly document: OpenApiDocument
  readonly options: ReadyOptions
  readonly requests: Schemas
  readonly responses: Schemas
  readonly schemes: readonly OpenApiScheme[]
  /** The origins that may see credentials. */
  readonly home: ReadonlySet<string>
  readonly report: (problem: OpenApiProblem) => void
}

function startMaking(document: OpenApiDocument, options: ReadyOptions, report: Making['report']): Making {
  const { origins = [] } = options
  const own = guarded(() => serverUrl(document, [document.root], options), undefined)
  return {
    document,
    options,
    requests: schemasOf(document, 'request'),
    responses: schemasOf(document, 'response'),
    schemes: schemesOf(document),
    home: new Set([...(own === undefined ? [] : [own]), ...origins].map((url) => originOf(url))),
    report,
  }
}

function originOf(url: string): string {
  const origin = guarded(() => new URL(url).origin, undefined)
  if (origin === undefined)
    throw new SameloopError(
      'config-invalid',
      `Cannot use the origin ${excerpt(url)}: wanted one such as "https://example.com"`,
    )
  return origin
}

const longestDescription = 1000

function toolOf(making: Making, operation: FoundOperation): Tool {
  const { document, options, requests, schemes, home } = making
  const { about, node, item } = operation
  const { method, name } = about
  const { headers = {}, fetch, maxResponseBytes } = options
  const url = serverUrl(document, [node, item, document.root], options)
  const base = baseUrl({ name: options.name, url })
  const isHome = home.has(base.origin)
  const target: RestTarget = { name: options.name, base, headers: isHome ? headers : {}, fetch, maxResponseBytes }
  const givenHeaders = Object.keys(target.headers).map((header) => header.toLowerCase())
  const shape = shapeOf(document, operation, {
    schemas: requests,
    isGiven: (place, parameter) =>
      (place === 'header' && givenHeaders.includes(parameter.toLowerCase())) ||
      schemes.some((scheme) => scheme.in === place && scheme.parameter === parameter),
  })
  const requirements = requirementsOf(document, node)
  const authFor = async (): Promise<readonly RestAuth[] | string> => {
    if (options.auth === undefined) return []
    if (isHome) return chooseAuth(requirements, options.auth, about)
    const isOpen = requirements.length === 0 || requirements.some((schemes) => schemes.length === 0)
    return isOpen
      ? []
      : `Credentials are not sent to "${base.origin}", which is not among the origins that may see them`
  }
  const execute = async (input: unknown, context: ToolContext): Promise<ToolAnswer> => {
    const filled = await fillOperation(shape, input, context)
    if (typeof filled === 'string') return fail(filled)
    const auths = await authFor()
    if (typeof auths === 'string') return fail(auths)
    const { idempotencyHeader } = shape
    return send(target, { method, filled, idempotencyHeader, sign: (request) => signWith(auths, request) }, context)
  }
  return tool({
    name,
    description: descriptionOf(operation),
    // A pattern of a stranger may take for ever.
    ...(shape.input && { input: jsonSchema(shape.input, { patterns: 'ignore' }) }),
    ...outputOf(making, operation),
    effect: effectOf(method),
    describeCall(input) {
      const address = fillAddress(shape, input)
      return previewOf(target, method, typeof address === 'string' ? { path: about.path, query: '' } : address)
    },
    execute,
  })
}

function descriptionOf(operation: FoundOperation): string {
  const { about, node } = operation
  const description = textIn(node, 'description')
  const texts = [about.summary, description === about.summary ? undefined : description]
  return cut(texts.filter((text) => text !== undefined).join('\n') || placeOf(operation), longestDescription)
}

/** Without a schema where there is none, where it cannot be used, and where it is not to be checked. */
function outputOf(making: Making, operation: FoundOperation): { readonly output?: StandardSchema<unknown> } {
  const { document, options, responses, report } = making
  if (options.checkResponses === false || operation.about.method === 'HEAD') return {}
  const unchecked = (thrown: unknown): void =>
    report({ operation: placeOf(operation), problem: `its answers are not checked: ${describeThrown(thrown)}` })
  try {
    const answers = answersOf(document, operation.node, responses)
    return answers.schema ? { output: answerSchema(answers, unchecked) } : {}
  } catch (thrown) {
    unchecked(thrown)
    return {}
  }
}

/** Made ready for checking with the first answer: a document may have a thousand large ones. */
function answerSchema(
  { schema = {}, mayBeEmpty, mayBeText }: Answers,
  unchecked: (thrown: unknown) => void,
): StandardSchema {
  let check: StandardSchema['~standard']['validate'] | undefined
  const ready = (): StandardSchema['~standard']['validate'] => {
    try {
      return jsonSchema(schema, { patterns: 'ignore' })['~standard'].validate
    } catch (thrown) {
      unchecked(thrown)
      return (value) => ({ value })
    }
  }
  return {
    '~standard': {
      version: 1,
      vendor: 'sameloop',
      validate(value) {
        if (value === undefined)
          return mayBeEmpty ? { value } : { issues: [{ message: 'Expected a body, got an empty one' }] }
        if (mayBeText && typeof value === 'string') return { value }
        return (check ??= ready())(value)
      },
      jsonSchema: { input: () => schema, output: () => schema },
    },
  }
}
