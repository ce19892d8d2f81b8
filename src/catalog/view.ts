// What a registry says of its tools.
import { SameloopError } from '../error/error.ts'
import { excerpt } from '../json/text.ts'
import type { ToolDefinition } from '../message/model-event.ts'
import { subRunOf } from '../registry/sub-run.ts'
import { findEntry, toolList } from '../registry/table.ts'
import type { Entry, ToolTable } from '../registry/table.ts'
import type { JsonSchema } from '../schema/schema.ts'
import { wrapSchema } from '../schema/standard.ts'
import type { StepFacts } from '../tool/rule.ts'
import { toolNames } from '../tool/tool-names.ts'
import type { Guards } from './code-caller.ts'

/** A tool as people and programs read it. */
export interface ToolDescription {
  /** Its URI. */
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonSchema
  /** What `call` gives. */
  readonly outputSchema: JsonSchema
}

/** What somebody may know of, for servers. */
export interface Served {
  /** Tools that may be told of, in registration order, without aliases. */
  list(facts: Partial<StepFacts>): readonly Entry[]
  /** One of them, by the name that models see. */
  find(name: string, facts: Partial<StepFacts>): Entry | undefined
}

/** What says whether a tool is told of. */
interface Teller {
  readonly advertises?: ((name: string, uri: string, facts: StepFacts) => boolean) | undefined
}

export interface View {
  readonly served: Served
  /** Throws `tool-not-found`. */
  find(name: string): Entry
  list(): readonly string[]
  definitions(): readonly ToolDefinition[]
  /** How often a tool ran, under all of its names. */
  calls(name: string): number
  /** Connects first what has to be. */
  describe(allow: readonly string[] | undefined): Promise<readonly ToolDescription[]>
  definition(name: string): Promise<ToolDescription>
  /** Where the name is unknown here, a source may know it. */
  connect(name: string): Promise<void> | undefined
}

/** A view on the tools that code with these `deps` may use. What a policy denies is found, and not shown. */
export function viewOf(table: ToolTable, deps: unknown, { policies, middleware }: Guards): View {
  const code: StepFacts = { run: 'code', step: 0, session: undefined, messages: [], deps }
  const tellers: readonly (Teller | undefined)[] = [...policies, ...middleware, table.guard]
  const isShown = ({ name, uri, alias }: Entry, facts: StepFacts): boolean =>
    alias === undefined && tellers.every((teller) => teller?.advertises?.(name, uri, facts) !== false)
  const all = (): readonly Entry[] => [...toolList(table).entries.values()]
  const shown = (facts = code): readonly Entry[] => all().filter((entry) => isShown(entry, facts))
  const find = (name: string): Entry => {
    const entry = findEntry(toolList(table).entries, name)
    if (entry) return entry
    throw new SameloopError('tool-not-found', `There is no tool ${excerpt(name)}`, { data: { name } })
  }
  const connect = (name: string): Promise<void> | undefined =>
    findEntry(toolList(table).entries, name) ? undefined : table.guard?.connect(name.includes('://') ? name : undefined)
  let told: readonly ToolDefinition[] = []
  return {
    served: {
      list: (facts) => shown({ ...code, ...facts }),
      find(name, facts) {
        const entry = toolList(table).entries.get(name)
        return entry && isShown(entry, { ...code, ...facts }) ? entry : undefined
      },
    },
    find,
    connect,
    list: () => shown().map((entry) => entry.name),
    definitions() {
      const now = shown().map((entry) => entry.definition)
      if (now.length !== told.length || now.some((one, index) => one !== told[index])) told = now
      return told
    },
    calls: (name) => find(name).count.calls,
    async describe(allow) {
      await table.guard?.connect()
      const isAllowed = allow ? toolNames(allow) : () => true
      const chosen = shown().filter(({ name, uri }) => isAllowed(name, uri))
      return chosen.map(describeEntry)
    },
    async definition(name) {
      await connect(name)
      return describeEntry(find(name))
    },
  }
}

function describeEntry(entry: Entry): ToolDescription {
  const { uri, definition } = entry
  return {
    name: uri,
    description: definition.description,
    inputSchema: definition.inputSchema,
    outputSchema: outputSchemaOf(entry) ?? resultSchema({}),
  }
}

/** The output as `call` gives it: an object as it is, anything else under `result`; `undefined` where the tool says nothing. */
export function outputSchemaOf({ tool, output }: Entry): JsonSchema | undefined {
  const result = subRunOf(tool)?.output ?? output?.json
  return result && (result['type'] === 'object' ? result : resultSchema(result))
}

const resultSchema = (result: JsonSchema): JsonSchema => wrapSchema(result, 'result')
