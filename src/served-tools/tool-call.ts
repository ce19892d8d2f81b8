// `tools/call`: through the registry's one call path, with whoever there is to ask.
import type { ToolRegistry } from '../catalog/tool-registry.ts'
import type { Host } from '../host/host.ts'
import { invalidParamsCode } from '../json-rpc/error-code.ts'
import type { RpcError } from '../json-rpc/message.ts'
import { excerpt } from '../json/text.ts'
import { isObject, own } from '../json/value.ts'
import type { Json, JsonObject } from '../json/value.ts'
import { isStateless } from '../mcp-protocol/version.ts'
import { joinSignals } from '../stream/signal.ts'
import { askingOf, questionName } from './asking.ts'
import type { McpApprove } from './asking.ts'
import type { Caller, Line } from './caller.ts'
import { progressReport } from './progress.ts'
import { askMethod } from './question.ts'
import type { Tickets } from './ticket.ts'
import { failedResult, toolResult } from './tool-result.ts'

/** What a request comes to. `undefined`: the client took it back. */
export type Reply = { readonly result: JsonObject } | { readonly error: RpcError } | undefined

export interface ToolServer {
  readonly registry: ToolRegistry
  readonly host: Host
  readonly tickets: Tickets
  readonly approve: McpApprove | undefined
  readonly onError: (thrown: unknown) => void
}

/** Wrong parameters, as the protocol says it: the client's program is to read this. */
export const invalidParams = (message: string): Reply => ({ error: { code: invalidParamsCode, message } })

export async function callTool(
  { registry, host, tickets, approve, onError }: ToolServer,
  caller: Caller,
  line: Line,
  params: JsonObject,
): Promise<Reply> {
  const [name, input] = [own(params, 'name'), own(params, 'arguments') ?? {}]
  if (typeof name !== 'string') return invalidParams(`Wanted "name": the name of a tool, got ${excerpt(name)}`)
  if (!isObject(input)) return invalidParams(`Wanted "arguments": an object, got ${excerpt(input)}`)
  await registry.connect().catch(onError)
  const { deps, principal } = caller.access
  const entry = registry.served.find(name, { deps })
  if (!entry?.tool.execute) return invalidParams(`Unknown tool: ${excerpt(name)}`)
  const about = { principal, tool: entry.uri, input }
  const ticket = own(params, 'requestState')
  const wasShown = isStateless(caller.version) ? await tickets.use(ticket, about) : undefined
  if (ticket !== undefined && !wasShown)
    return invalidParams('Wanted a "requestState" that was made for this call, not long ago, and not used before')
  const asking = askingOf({ host, approve, caller, line, responses: own(params, 'inputResponses'), wasShown })
  // Only a client of the stateless protocol takes its request back by leaving.
  const signal = joinSignals([caller.cancelled, isStateless(caller.version) ? line.left : undefined])
  const outcome = await registry
    .invoke(entry.uri, input as Json, {
      deps,
      signal: signal.signal,
      approve: asking.approve,
      grants: caller.session?.grants,
      onProgress: progressReport(own(params, '_meta'), line),
    })
    .finally(signal.release)
  if (signal.signal.aborted) return undefined
  if (outcome.ok || outcome.reason !== 'pending') return { result: toolResult(outcome, entry, caller.version) }
  if (!asking.question)
    return {
      result: failedResult(
        `The tool "${name}" did not run: it wants a decision, and ${asking.why || 'nobody decided'}`,
      ),
    }
  return {
    result: {
      resultType: 'input_required',
      inputRequests: { [questionName]: { method: askMethod, params: asking.question } },
      requestState: await tickets.make(about, asking.shown),
    },
  }
}
