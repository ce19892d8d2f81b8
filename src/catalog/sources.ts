// The sources of a registry: connected when they are needed, once at a time, closed in reverse order.
import { SameloopError, isSameloopError } from '../error/error.ts'
import type { Host } from '../host/host.ts'
import type { ToolSource } from '../tool/source.ts'
import { addTools, change } from '../registry/table.ts'
import type { ToolTable } from '../registry/table.ts'
import type { Tool } from '../tool/tool.ts'

export interface Sources {
  /** Throws `config-duplicate-tool` where there is a source of that scheme and name. */
  add(source: ToolSource): void
  /** All of them, or those that `uri` may mean; `undefined` where nothing has to be done. Rejects with `source-failed`. */
  connect(uri?: string): Promise<void> | undefined
  /** Closes all, then rejects with `source-failed` if some could not be closed. Connecting opens them anew. */
  close(): Promise<void>
}

interface Member {
  readonly source: ToolSource
  readonly prefix: string
  /** While it connects. */
  connecting?: Promise<void> | undefined
  /** While it closes. */
  closing?: Promise<void> | undefined
  isOpen: boolean
  /** Ends watching it. */
  unwatch?: (() => void) | undefined
  /** Its tools are listed anew: `again` where they changed meanwhile. */
  listing?: 'once' | 'again' | undefined
  /** Its tools by the name they have in the table. */
  tools: ReadonlyMap<string, Tool>
}

/** How long a source may take to connect, to list its tools, and to close. */
const longestMs = 60_000

export function sourcesOf(table: ToolTable, host: Host): Sources {
  const members: Member[] = []
  return {
    add(source) {
      const prefix = `${source.scheme}://${source.name}.`
      if (!/^[a-z][a-z0-9+.-]*:\/\/[^./]+\.$/.test(prefix))
        throw new SameloopError(
          'config-invalid',
          `Cannot use the source "${prefix.slice(0, -1)}": wanted a scheme and a name without dots`,
        )
      if (members.some((member) => member.prefix === prefix))
        throw new SameloopError('config-duplicate-tool', `There is a source "${prefix.slice(0, -1)}" already`)
      members.push({ source, prefix, isOpen: false, tools: new Map() })
    },
    connect(uri) {
      const closed = members.filter(({ isOpen, prefix }) => !isOpen && (uri === undefined || uri.startsWith(prefix)))
      if (closed.length === 0) return undefined
      const each = closed.map((member) => (member.connecting ??= open(table, member, host)))
      // Those that can connect do, whatever becomes of the others.
      return Promise.allSettled(each).then((results) => {
        for (const result of results) if (result.status === 'rejected') throw result.reason
      })
    },
    async close() {
      const failures: unknown[] = []
      for (const member of [...members].reverse()) {
        await member.connecting?.catch(() => undefined)
        if (member.isOpen) member.closing = shut(table, member, host).finally(() => (member.closing = undefined))
        try {
          await member.closing
        } catch (thrown) {
          failures.push(failed(member, 'close', thrown))
        }
      }
      if (failures.length > 0) throw failures[0]
    },
  }
}

/** What `work` gives, unless it takes too long: then it is left behind. */
function inTime<Value>(host: Host, work: () => Value | Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const text = `it did not answer within ${longestMs} ms`
    const cancel = host.timer(longestMs, () => reject(new SameloopError('source-failed', text, { retryable: true })))
    const working = async (): Promise<Value> => work()
    void working().then(resolve, reject).finally(cancel)
  })
}

async function shut(table: ToolTable, member: Member, host: Host): Promise<void> {
  member.isOpen = false
  member.unwatch?.()
  forget(table, member.tools)
  member.tools = new Map()
  await inTime(host, () => member.source.close?.())
}

async function open(table: ToolTable, member: Member, host: Host): Promise<void> {
  const { source, prefix } = member
  const known = new Map<string, Tool>()
  try {
    // How it ended was said to those who closed it.
    await member.closing?.catch(() => undefined)
    await inTime(host, () => source.connect?.())
    const tools = await inTime(host, () => source.list())
    // Half a source would be a riddle: all of its tools come in, or none.
    addTools(table, tools, (tool) => {
      const name = prefix + tool.name
      known.set(name, tool)
      return { name }
    })
    member.tools = known
    member.isOpen = true
    member.unwatch = source.watch?.(() => void refresh(table, member, host))
  } catch (thrown) {
    throw failed(member, 'connect', thrown)
  } finally {
    member.connecting = undefined
  }
}

/** Lists the tools anew. Where they cannot be had, those of before stay. */
async function refresh(table: ToolTable, member: Member, host: Host): Promise<void> {
  const { listing, tools: before } = member
  member.listing = listing ? 'again' : 'once'
  if (listing) return
  try {
    const tools = await inTime(host, () => member.source.list())
    if (member.isOpen && member.tools === before) replace(table, member, tools)
  } catch {
    // A source that is gone is said to be when it is called.
  }
  const isStale = (member.listing as Member['listing']) === 'again'
  member.listing = undefined
  if (isStale && member.isOpen) await refresh(table, member, host)
}

/** Tools that are the same as before keep their place. All changes are made, or none. */
function replace(table: ToolTable, member: Member, tools: readonly Tool[]): void {
  const { prefix, tools: before } = member
  const now = new Map(tools.map((tool) => [prefix + tool.name, tool]))
  const { own } = table
  forget(table, new Map([...before].filter(([name, tool]) => now.get(name) !== tool)))
  const added = tools.filter((tool) => before.get(prefix + tool.name) !== tool)
  try {
    addTools(table, added, (tool) => ({ name: prefix + tool.name }))
    member.tools = now
  } catch (thrown) {
    change(table, (changed) => {
      changed.clear()
      for (const [key, entry] of own) changed.set(key, entry)
    })
    throw thrown
  }
}

function forget(table: ToolTable, tools: ReadonlyMap<string, Tool>): void {
  if (tools.size === 0) return
  change(table, (own) => {
    // What a user registered in the place of one of them stays.
    for (const [key, { name, tool, alias }] of own) if (alias === undefined && tools.get(name) === tool) own.delete(key)
  })
}

function failed({ prefix }: Member, what: 'connect' | 'close', cause: unknown): SameloopError {
  const said = isSameloopError(cause) ? `: ${cause.message}` : ''
  return new SameloopError('source-failed', `Cannot ${what} the source "${prefix.slice(0, -1)}"${said}`, {
    cause,
    retryable: !isSameloopError(cause) || cause.retryable,
  })
}
