// Parameters that a tool's input schema marks with `x-mcp-header`: over HTTP they travel in headers, too.
import { isHeaderName } from '../http/header.ts'
import { own } from '../json/value.ts'
import { encodeHeaderValue } from '../mcp-protocol/header-value.ts'
import { parameterHeaderPrefix } from '../mcp-protocol/wire.ts'

export interface ParameterHeader {
  readonly header: string
  /** Property names from the root. */
  readonly path: readonly string[]
}

const mark = 'x-mcp-header'
const types: readonly unknown[] = ['string', 'integer', 'boolean']

/** The marked parameters of a schema, or in words why its marks cannot be used. */
export function parameterHeaders(schema: unknown): readonly ParameterHeader[] | string {
  const found: ParameterHeader[] = []
  const problem = collect(schema, [], found)
  if (problem !== undefined) return problem
  // A mark below a list, a choice or a reference stands for no one value.
  if (countMarks(schema) !== found.length) return `"${mark}" stands where no single parameter is`
  const names = new Set(found.map(({ header }) => header.toLowerCase()))
  return names.size < found.length ? `two parameters have the same "${mark}"` : found
}

function collect(schema: unknown, path: readonly string[], found: ParameterHeader[]): string | undefined {
  const header = own(schema, mark)
  if (header !== undefined) {
    if (typeof header !== 'string' || !isHeaderName(header)) return `"${mark}" is no header name`
    if (!types.includes(own(schema, 'type'))) return `"${mark}" stands at what is no string, integer or boolean`
    found.push({ header: parameterHeaderPrefix + header, path })
  }
  const properties = own(schema, 'properties')
  for (const [key, property] of Object.entries(properties ?? {})) {
    const problem = collect(property, [...path, key], found)
    if (problem !== undefined) return problem
  }
  return undefined
}

const countMarks = (value: unknown): number =>
  typeof value !== 'object' || value === null
    ? 0
    : Object.values(value).reduce<number>(
        (sum, inner) => sum + countMarks(inner),
        typeof own(value, mark) === 'string' ? 1 : 0,
      )

/** The headers of a call; a parameter without a value has none. */
export function headersOf(parameters: readonly ParameterHeader[], input: unknown): Readonly<Record<string, string>> {
  const values = parameters.map(({ header, path }) => [header, path.reduce(own, input)] as const)
  return Object.fromEntries(
    values
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([header, value]) => [header, encodeHeaderValue(String(value))]),
  )
}
