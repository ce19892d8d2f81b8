// A tool of an MCP server as a tool of ours. What the server says of it is checked, and believed only where that was asked for.
import { isSameloopError } from '../error/error.ts'
import { cut, excerpt, jsonText } from '../json/text.ts'
import { isObject, own } from '../json/value.ts'
import type { Json, JsonObject } from '../json/value.ts'
import type { Effect } from '../message/decision.ts'
import { jsonSchema } from '../schema/check.ts'
import type { JsonSchemaOptions } from '../schema/check.ts'
import type { StandardSchema } from '../schema/schema.ts'
import type { ToolContext } from '../tool/context.ts'
import { tool as defineTool } from '../tool/define.ts'
import { fail, ok } from '../tool/tool.ts'
import type { Tool, ToolAnswer } from '../tool/tool.ts'
import { contentParts, textsOf } from './content.ts'
import { headersOf, parameterHeaders } from './parameter-header.ts'

export interface McpToolOptions {
  /** How long a call may take, in milliseconds. Default 60,000. What it asks a person counts. */
  readonly timeoutMs?: number | undefined
  /**
   * Believes `readOnlyHint` and `idempotentHint`, which decide what may be run again after a crash and what a model that
   * must ask may do by itself. Only for servers you trust. Default false: every tool is `unsafe`.
   */
  readonly trustAnnotations?: boolean | undefined
}

/** Who makes the call, and for whom. */
export interface Caller extends McpToolOptions {
  readonly server: string
  /** Of the server, for whoever decides about a call. */
  readonly address: string | undefined
  /** Whether parameters may travel in headers. */
  readonly isHttp: boolean
  call(params: JsonObject, context: ToolContext, headers: Readonly<Record<string, string>>): Promise<JsonObject>
  warn(text: string): void
}

/** Longer schemas are no schemas for a model. */
const maxSchemaChars = 256 * 1024
const maxDescriptionChars = 10_000

const drafts: Readonly<Record<string, JsonSchemaOptions['draft']>> = {
  'json-schema.org/draft-07/schema': '7',
  'json-schema.org/draft/2019-09/schema': '2019-09',
  'json-schema.org/draft/2020-12/schema': '2020-12',
}

/** The tool, or in words why it cannot be used. */
export function mcpTool(wire: unknown, caller: Caller): Tool | string {
  const name = own(wire, 'name')
  if (typeof name !== 'string' || name === '' || name.length > 256) return 'its name is no text of 1 to 256 characters'
  if (own(own(wire, 'execution'), 'taskSupport') === 'required') return 'it can only be called as a task'
  const given = own(wire, 'inputSchema')
  const schema: unknown = isObject(given) ? { type: 'object', ...given } : given
  if (own(schema, 'type') !== 'object') return `its input is ${excerpt(own(schema, 'type'))}, wanted an object`
  const input = schemaOf(schema)
  if (typeof input === 'string') return input
  const headers = caller.isHttp ? parameterHeaders(schema) : []
  if (typeof headers === 'string') return headers
  const described = own(wire, 'outputSchema')
  const output = described === undefined ? undefined : schemaOf(described)
  if (typeof output === 'string') caller.warn(`The output of tool ${excerpt(name)} is not checked: ${output}`)
  const isChecked = typeof output === 'object'
  return defineTool({
    name,
    description: descriptionOf(wire) || name,
    input,
    output: isChecked ? output : undefined,
    effect: caller.trustAnnotations ? effectOf(own(wire, 'annotations')) : 'unsafe',
    timeoutMs: caller.timeoutMs,
    describeCall: () => ({
      summary: `Calls ${excerpt(name)} of the MCP server "${caller.server}"`,
      ...(caller.address !== undefined && { host: caller.address }),
    }),
    execute: async (value, context) => {
      const result = await caller.call({ name, arguments: value as Json }, context, headersOf(headers, value))
      return answerOf(result, isChecked)
    },
  }) as Tool
}

function descriptionOf(wire: unknown): string {
  const text = [own(wire, 'description'), own(wire, 'title')].find(
    (one) => typeof one === 'string' && one.trim() !== '',
  )
  return cut((text as string | undefined) ?? '', maxDescriptionChars)
}

function schemaOf(schema: unknown): StandardSchema | string {
  const text = jsonText(schema) ?? ''
  if (text.length > maxSchemaChars) return `a schema has ${text.length} characters, at most ${maxSchemaChars} are read`
  const dialect = own(schema, '$schema')
  // Not by `String`: an object of a server may have a `toString` of its own, which is no function.
  const address = typeof dialect === 'string' ? dialect.replace(/^https?:\/\/|#$/g, '') : ''
  if (dialect !== undefined && !Object.hasOwn(drafts, address)) return `a schema is in ${excerpt(dialect)}`
  try {
    // An expression that backtracks without end is written in a few characters: a server could stop the program with it.
    return jsonSchema(schema as JsonObject, { patterns: 'ignore', draft: drafts[address] })
  } catch (thrown) {
    return isSameloopError(thrown) ? thrown.message : 'its schema cannot be read'
  }
}

function effectOf(annotations: unknown): Effect {
  if (own(annotations, 'readOnlyHint') === true) return 'read'
  return own(annotations, 'idempotentHint') === true ? 'idempotent' : 'unsafe'
}

/** The typed value where there is one, with what is no text beside it; else text as text, anything else as parts. */
function answerOf(result: JsonObject, isChecked: boolean): ToolAnswer {
  const parts = contentParts(own(result, 'content'))
  if (own(result, 'isError') === true) return fail(textsOf(parts) || 'The tool failed, and did not say why')
  const structured = own(result, 'structuredContent')
  if (isChecked || structured !== undefined)
    return ok(structured as Json, { parts: parts.filter(({ type }) => type !== 'text') })
  if (parts.length === 0) return ok()
  return parts.every(({ type }) => type === 'text') ? ok(textsOf(parts)) : ok(parts)
}
