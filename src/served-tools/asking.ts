// Who decides about a call that wants a decision: the host program, else a person whom the client asks.
import type { CallOptions } from '../catalog/call-options.ts'
import type { Host } from '../host/host.ts'
import { rpcRequest } from '../json-rpc/message.ts'
import { isObject, own } from '../json/value.ts'
import type { JsonObject } from '../json/value.ts'
import { isStateless } from '../mcp-protocol/version.ts'
import type { Answer, ApprovalRequest } from '../message/decision.ts'
import { listen } from '../stream/signal.ts'
import type { Caller, Line, McpAccess, Remembered } from './caller.ts'
import { answerOf, askMethod, questionOf, showsForms } from './question.ts'

/** Decides in the place of a person. `defer`, or nothing, leaves it to the client's. */
export type McpApprove = (
  request: ApprovalRequest,
  access: McpAccess,
) => Answer | undefined | Promise<Answer | undefined>

export interface Asking {
  readonly approve: NonNullable<CallOptions['approve']>
  /** What the client has to ask before it calls again, where nothing is remembered between calls. */
  question?: JsonObject | undefined
  /** What it is about, whole. */
  shown?: unknown
  /** Why nobody decided. */
  why: string
}

export interface AskingOptions {
  readonly host: Host
  readonly approve: McpApprove | undefined
  readonly caller: Caller
  readonly line: Line
  /** The answers that a call brings to the question before it. */
  readonly responses: unknown
  /** Whether what is asked about is what was shown then. */
  readonly wasShown: ((shown: unknown) => Promise<boolean>) | undefined
}

/** Under this name a client answers the one question of a call. */
export const questionName = 'approval'

/** A person may think this long while the call is held open. */
const questionMs = 5 * 60_000

export function askingOf(options: AskingOptions): Asking {
  const { caller, line } = options
  const asking: Asking = {
    why: '',
    async approve(request) {
      const decided = await options.approve?.(request, caller.access)
      if (decided !== undefined && decided !== 'defer') return decided
      const why = whyNot(request, caller, line)
      if (why === undefined) return isStateless(caller.version) ? byRetry(request) : bySession(request)
      asking.why = why
      return undefined
    },
  }
  const byRetry = async (request: ApprovalRequest): Promise<Answer | undefined> => {
    const { input, reason = null, preview = null } = request
    const shown = [input, reason, preview]
    const response = own(options.responses, questionName)
    // What was approved is what was shown: a file may be another by now.
    if (isObject(response) && (await options.wasShown?.(shown))) return answerOf(response, false)
    Object.assign(asking, { question: questionOf(request, false), shown })
    return undefined
  }
  const bySession = async (request: ApprovalRequest): Promise<Answer | undefined> => {
    asking.why = 'nobody decided'
    return caller.session && askPerson(options, caller.session, request)
  }
  return asking
}

/** Why nobody can be asked, if that is so. */
function whyNot({ wants, callId, path }: ApprovalRequest, caller: Caller, { canStream }: Line): string | undefined {
  if (wants === 'result') return 'it is run by whoever shows it, and not here'
  if (!showsForms(caller.capabilities) && (isStateless(caller.version) || caller.session))
    return 'the client has not declared that it asks people (elicitation)'
  // To ask again is to begin again, and a tool at work has begun.
  if (isStateless(caller.version)) return path || callId.includes('/') ? 'a tool at work cannot ask' : undefined
  if (!caller.session) return 'the server keeps no sessions in which a client could ask'
  return canStream ? undefined : 'the client takes no event streams, in which it could be asked'
}

/** The client is asked on the stream of its call, and answers with a request of its own. */
async function askPerson(
  { host, caller, line }: AskingOptions,
  { questions }: Remembered,
  request: ApprovalRequest,
): Promise<Answer | undefined> {
  const id = host.id('ask_')
  const stops: (() => void)[] = []
  const answer = await new Promise<Answer | undefined>((resolve) => {
    const giveUp = (): void => resolve(undefined)
    questions.set(id, (received) => resolve(received.type === 'result' ? answerOf(received.result, true) : undefined))
    stops.push(host.timer(questionMs, giveUp), listen(caller.cancelled, giveUp), listen(line.left, giveUp))
    line.send(rpcRequest(id, askMethod, questionOf(request, true)))
  })
  questions.delete(id)
  for (const stop of stops) stop()
  return answer
}
