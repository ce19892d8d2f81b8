// What the servers of models refuse in a tool, or read past.
import type { JsonObject } from '../../json/value.ts'
import { isObject } from '../../json/value.ts'
import { finding } from './finding.ts'
import type { LintFinding, Told } from './finding.ts'
import { schemaNodes } from './schema-nodes.ts'
import type { SchemaNode } from './schema-nodes.ts'

/** `openai-strict` is for functions that are sent with `strict: true`, which sameloop does not do by itself. */
export type LintProvider = 'openai' | 'openai-strict' | 'anthropic' | 'gemini'

type Check = (tool: Told, nodes: readonly SchemaNode[]) => readonly LintFinding[]

const refused = (tool: Told, what: string, path = ''): LintFinding =>
  finding(tool, 'refused-schema', what, { path, severity: 'error' })
const ignored = (tool: Told, what: string, path: string): LintFinding => finding(tool, 'ignored-schema', what, { path })

const has = (schema: JsonObject, keyword: string): boolean => Object.hasOwn(schema, keyword)
const typesOf = ({ type }: JsonObject): readonly unknown[] => (type === undefined ? [] : [type].flat())
const quoted = (words: readonly string[]): string => words.map((word) => `"${word}"`).join(', ')

/** Keywords at the root, where OpenAI and Anthropic want a plain object. */
function rootFindings(tool: Told, provider: string, forbidden: readonly string[]): readonly LintFinding[] {
  const found = forbidden.filter((keyword) => has(tool.inputSchema, keyword))
  return found.length === 0 ? [] : [refused(tool, `${provider} refuses ${quoted(found)} at the top of a tool's schema`)]
}

const openai: Check = (tool, nodes) => [
  ...rootFindings(tool, 'OpenAI', ['oneOf', 'anyOf', 'allOf', 'enum', 'not']),
  ...itemless(tool, nodes, 'OpenAI'),
]

const itemless = (tool: Told, nodes: readonly SchemaNode[], provider: string): readonly LintFinding[] =>
  nodes.flatMap(({ schema, path }) =>
    typesOf(schema).includes('array') && !has(schema, 'items') && !has(schema, 'prefixItems')
      ? [refused(tool, `${provider} refuses an array without "items"`, path)]
      : [],
  )

const notStrict = [
  'allOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'dependentRequired',
  'dependentSchemas',
  'patternProperties',
]

const openaiStrict: Check = (tool, nodes) => {
  const properties = nodes.filter(({ property }) => property !== undefined).length
  const deepest = nodes.reduce((most, { path }) => Math.max(most, path.split('/properties/').length - 1), 0)
  const choices = nodes.reduce((sum, { schema }) => sum + [schema['enum'] ?? []].flat().length, 0)
  return [
    ...openai(tool, nodes),
    ...nodes.flatMap((node) => strictFindings(tool, node)),
    ...overLimit(tool, 'properties', properties, 5_000),
    ...overLimit(tool, 'levels of objects', deepest, 10),
    ...overLimit(tool, 'choices in "enum"', choices, 1_000),
  ]
}

const overLimit = (tool: Told, what: string, count: number, most: number): readonly LintFinding[] =>
  count > most ? [refused(tool, `OpenAI in strict mode takes at most ${most} ${what}, got ${count}`)] : []

function strictFindings(tool: Told, { schema, path }: SchemaNode): readonly LintFinding[] {
  const say = (what: string): LintFinding => refused(tool, `OpenAI in strict mode ${what}`, path)
  const findings: LintFinding[] = []
  const unknown = notStrict.filter((keyword) => has(schema, keyword))
  if (unknown.length > 0) findings.push(say(`refuses ${quoted(unknown)}`))
  if (!['type', 'anyOf', '$ref', 'enum', 'const', ...notStrict].some((keyword) => has(schema, keyword)))
    findings.push(say('wants a "type"'))
  if (!typesOf(schema).includes('object') && !has(schema, 'properties')) return findings
  if (schema['additionalProperties'] !== false) findings.push(say('wants "additionalProperties": false'))
  const required = new Set([schema['required'] ?? []].flat())
  const optional = Object.keys(isObject(schema['properties']) ? schema['properties'] : {}).filter(
    (name) => !required.has(name),
  )
  if (optional.length > 0) findings.push(say(`wants all properties in "required": ${quoted(optional)}`))
  return findings
}

const anthropic: Check = (tool, nodes) => [
  ...rootFindings(tool, 'Anthropic', ['oneOf', 'anyOf', 'allOf']),
  ...nodes.flatMap(({ property, path }) =>
    property === undefined || /^[a-zA-Z0-9_.-]{1,64}$/.test(property)
      ? []
      : [
          refused(
            tool,
            `Anthropic takes properties named by 1 to 64 of a-z A-Z 0-9 _ . -, got ${JSON.stringify(property)}`,
            path,
          ),
        ],
  ),
]

const notGemini = [
  'allOf',
  'not',
  'if',
  'then',
  'else',
  'const',
  'patternProperties',
  'dependentSchemas',
  'dependentRequired',
]

const gemini: Check = (tool, nodes) => [
  ...(/^[a-zA-Z_]/.test(tool.name) ? [] : [refused(tool, 'Gemini wants a name that starts with a letter or "_"')]),
  ...itemless(tool, nodes, 'Gemini'),
  ...nodes.flatMap(({ schema, path }) => {
    const unknown = notGemini.filter((keyword) => has(schema, keyword))
    const odd = [schema['enum'] ?? []].flat().some((choice) => typeof choice !== 'string')
    return [
      ...(unknown.length > 0
        ? [ignored(tool, `Gemini reads past ${quoted(unknown)}: say it in the description`, path)]
        : []),
      ...(odd ? [ignored(tool, 'Gemini takes choices in "enum" that are texts', path)] : []),
    ]
  }),
]

const checks: Readonly<Record<LintProvider, Check>> = { openai, 'openai-strict': openaiStrict, anthropic, gemini }

/** What one of the providers refuses or reads past; the same finding once. */
export function providerFindings(tool: Told, providers: readonly LintProvider[]): readonly LintFinding[] {
  const nodes = schemaNodes(tool.inputSchema)
  const found = providers.flatMap((provider) => checks[provider](tool, nodes))
  return [...new Map(found.map((one) => [`${one.path} ${one.message}`, one])).values()]
}
