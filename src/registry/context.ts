// The context of one call. It inherits its getters: a literal with accessors costs more than the rest of a call.
import { SameloopError } from '../error/error.ts'
import type { Json } from '../json/value.ts'
import { plainJson } from '../json/text.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { ToolContext } from '../tool/context.ts'
import type { Vfs } from '../vfs/vfs.ts'
import type { CallName, ReadyCall } from './prepare.ts'
import type { Capabilities, CallScope } from './scope.ts'

/** Runs another tool; bound by `call.ts`, which this file must not import. */
export type CallAnother = (scope: CallScope, call: CallName, input: Json) => Promise<unknown>

/** A signal that is made when somebody asks for it. */
export interface Abortable {
  aborted: boolean
  abortReason?: unknown
  controller?: AbortController
}

/** The context with the library's own state. */
export interface Context extends ToolContext {
  [stateKey]: State
}

interface State extends Abortable {
  readonly call: ReadyCall
  readonly scope: CallScope
  readonly another: CallAnother
  nested: number
  /** Calls that it has made and that have not ended. */
  active: number
  /** The call's own files, where they are kept apart. */
  fs: Vfs | undefined
  /** The call has its outcome: what its tool still does is no part of the run. */
  isOver: boolean
}

const stateKey: unique symbol = Symbol('state')

const getters: { readonly [key in keyof ToolContext]: (state: State) => ToolContext[key] } = {
  callId: ({ call }) => call.callId,
  name: ({ call }) => call.entry.name,
  uri: ({ call }) => call.entry.uri,
  rawInput: ({ call }) => call.input,
  idempotencyKey: ({ call, scope }) => call.entry.tool.idempotencyKey?.(call.input) ?? `${scope.id}/${call.callId}`,
  attempt: ({ call }) => call.attempt,
  signal: signalOf,
  deps: ({ scope }) => scope.deps,
  fs: (state) => filesOf(state) ?? capability(state.scope, 'fs'),
  shell: (state) => within(state, 'shell'),
  code: (state) => within(state, 'code'),
  fetch: ({ scope }) => capability(scope, 'fetch'),
  call: (state) => async (name, input) => {
    if (state.isOver || state.aborted) throw new SameloopError('tool-aborted', 'The call that wants to call is over')
    const { scope, call } = state
    const { callId, depth = 0 } = call
    const fs = state.fs ?? call.fs
    if (state.active++) scope.owner?.beside(scope, 1)
    try {
      return await state.another(scope, { callId: `${callId}/${++state.nested}`, name, depth: depth + 1, fs }, input)
    } finally {
      if (--state.active) scope.owner?.beside(scope, -1)
    }
  },
  progress: (state) => (given) => {
    // Only what is JSON, and as it is now.
    const value = plainJson(given)
    if (!state.isOver && value !== undefined)
      state.scope.owner?.report(state.scope, state.call, { type: 'tool-progress', value })
  },
  // Not the run itself, which a tool could change.
  run: ({ scope: { id, step, session } }) => ({ id, step, session }),
}

const prototype = /* @__PURE__ */ makePrototype()

function makePrototype(): object {
  const made = {}
  for (const [key, read] of Object.entries(getters)) {
    Object.defineProperty(made, key, {
      enumerable: true,
      get(this: Context): unknown {
        return read(this[stateKey])
      },
    })
  }
  return made
}

export function toolContext(call: ReadyCall, scope: CallScope, another: CallAnother): Context {
  const context = Object.create(prototype) as Context
  context[stateKey] = { call, scope, another, nested: 0, active: 0, fs: undefined, isOver: false, aborted: false }
  return context
}

/** Gives the call files of its own. */
export function keepFilesApart({ [stateKey]: state }: Context, fs: Vfs): void {
  state.fs = fs
}

/** Marks the call as over. */
export function closeContext({ [stateKey]: state }: Context): void {
  state.isOver = true
}

/** Whether the call has its outcome, or will not get another one. */
export const isClosed = ({ [stateKey]: state }: Context): boolean => state.isOver || state.aborted

/** Aborts the context's signal, also for a tool that only looks at it later. */
export function abortContext({ [stateKey]: state }: Context, reason: SameloopError): void {
  state.aborted = true
  state.abortReason = reason
  state.controller?.abort(reason)
}

/** The signal, made when first asked for. */
export function signalOf(of: Abortable): AbortSignal {
  of.controller ??= new AbortController()
  // For the second time this does nothing.
  if (of.aborted) of.controller.abort(of.abortReason)
  return of.controller.signal
}

const filesOf = ({ fs, call, scope }: State): Vfs | undefined => fs ?? call.fs ?? scope.capabilities.fs

/** A sandbox over what the call may reach; a request may say otherwise. */
function within(state: State, key: 'shell' | 'code'): Sandbox {
  const sandbox = capability(state.scope, key)
  const bound = Object.create(sandbox) as { exec: Sandbox['exec'] } & Sandbox
  bound.exec = (request) =>
    sandbox.exec({
      fs: filesOf(state),
      fetch: state.scope.capabilities.fetch,
      call: getters.call(state),
      signal: signalOf(state),
      ...request,
    })
  return bound
}

function capability<Key extends keyof Capabilities>(scope: CallScope, key: Key): NonNullable<Capabilities[Key]> {
  const found = scope.capabilities[key]
  if (found) return found
  const presets = 'virtual(), browser(), cloudflare(), deno() or node()'
  throw new SameloopError('config-missing-capability', `The env has no ${key}: wanted one of ${presets}`, {
    data: { capability: key },
  })
}
