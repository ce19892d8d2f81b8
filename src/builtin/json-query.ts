// Finding values in JSON that is too large to read, for models.
import { isSameloopError } from '../error/error.ts'
import { parseJson } from '../json/text.ts'
import type { Json } from '../json/value.ts'
import { query } from '../query/query.ts'
import type { JsonSchema } from '../schema/schema.ts'
import type { Environment } from '../tool/environment.ts'
import type { Policy } from '../tool/rule.ts'
import { fail, ok } from '../tool/tool.ts'
import type { Tool, ToolAnswer } from '../tool/tool.ts'
import { readText } from '../vfs/text.ts'
import { pathField } from './file-tool.ts'
import { selection } from './include.ts'
import { objectInput } from './json-input.ts'
import { inBand, workspace } from './workspace.ts'

export interface JsonQueryOptions {
  /** Where it has `fs`, files can be queried, too. */
  readonly env: Environment
  /** Narrows the files further than the agent's own policy does. */
  readonly policy?: Policy | undefined
  /** `json_query`, or patterns with `*`. Default: all, which is that one. */
  readonly include?: readonly string[] | undefined
}

interface JsonQueryInput {
  readonly expression: string
  readonly data?: unknown
  readonly path?: string
}

/** Bytes of a file, and characters of a text, that are read as JSON. */
const mostData = 4 * 2 ** 20

/**
 * `json_query { expression, data?, path? }`: what a JMESPath expression finds in a JSON value, a JSON text or a file; `null`
 * where it finds nothing. At most 4 MiB of JSON, 4,000 characters of expression, 1 Mi characters of result, and two million
 * steps of work. `config-invalid` for an `include` that does not name it.
 */
export function jsonQuery({ env, policy, include }: JsonQueryOptions): Tool[] {
  if (!selection(include, ['json_query'])('json_query')) return []
  const { fs } = env
  const space = fs && workspace({ ...env, fs }, policy)
  const source = space ? '"data" or "path", one of them' : '"data"'
  const fields: Record<string, JsonSchema> = {
    expression: { type: 'string', minLength: 1, description: 'JMESPath, for example "items[?price > `10`].name"' },
    data: { description: 'The JSON document: a value, or its text' },
    ...(space
      ? { path: { ...pathField, description: `File with the JSON document. ${pathField['description']}` } }
      : {}),
  }
  const tool: Tool<JsonQueryInput> = {
    name: 'json_query',
    description: `Runs a JMESPath expression on a JSON document given by ${source}, and gives what it finds as JSON; null means nothing was found.`,
    input: objectInput<JsonQueryInput>(fields as Record<keyof JsonQueryInput, JsonSchema>, ['expression']),
    effect: 'read',
    execute: (input, context) => {
      const { expression, data, path } = input
      if ((data === undefined) === (path === undefined))
        return fail(`Expected ${source}, got ${data === undefined ? 'none' : 'both'}`)
      if (path === undefined || !space) return answer(data, expression)
      const files = space.files(context)
      return inBand(files, async () => {
        const text = await readText(files, path, { maxBytes: mostData, signal: context.signal })
        return answer(text.replace(/^\ufeff/, ''), expression, path)
      })
    },
  }
  return [tool as Tool]
}

function answer(data: unknown, expression: string, path?: string): ToolAnswer {
  const place = path === undefined ? 'The data' : JSON.stringify(path)
  if (typeof data === 'string' && data.length > mostData)
    return fail(`${place} has ${data.length} characters, at most ${mostData} are allowed`)
  const parsed = typeof data === 'string' ? parseJson(data) : { ok: true as const, value: data }
  if (!parsed.ok) return fail(`${place} is no JSON, or is nested deeper than 500 levels`)
  try {
    return ok(query(parsed.value, expression) as Json)
  } catch (error) {
    if (!isSameloopError(error)) throw error
    return fail(error.message, { details: { code: error.code, ...(error.data as { [key: string]: Json }) } })
  }
}
