// The context of one call. It inherits its getters: an object literal with accessors costs more than the rest of a call.
import { SameloopError } from '../error/error.ts'
import type { Json } from '../message/part.ts'
import type { ToolContext } from '../tool/context.ts'
import type { PreparedCall } from './prepare.ts'
import type { Capabilities, CallScope } from './scope.ts'
import type { Entry } from './table.ts'

/** Runs another tool; bound by `call.ts`, which this file must not import. */
export type CallAnother = (scope: CallScope, callId: string, name: string, input: Json) => Promise<unknown>

interface State {
  readonly prepared: PreparedCall
  readonly entry: Entry
  readonly scope: CallScope
  readonly another: CallAnother
  controller: AbortController | undefined
  aborted: SameloopError | undefined
  nested: number
}

const stateKey: unique symbol = Symbol('state')

/** The context with the library's own state. */
export interface Context extends ToolContext {
  [stateKey]: State
}

const getters: { readonly [key in keyof ToolContext]: (state: State) => ToolContext[key] } = {
  callId: ({ prepared }) => prepared.callId,
  name: ({ entry }) => entry.name,
  uri: ({ entry }) => entry.uri,
  rawInput: ({ prepared }) => prepared.input,
  idempotencyKey: ({ prepared, entry, scope }) => entry.tool.idempotencyKey?.(prepared.input) ?? `${scope.run.id}/${prepared.callId}`,
  attempt: ({ prepared }) => prepared.attempt,
  signal: (state) => signalOf(state),
  deps: ({ scope }) => scope.deps,
  fs: ({ scope }) => capability(scope, 'fs', 'files'),
  shell: ({ scope }) => capability(scope, 'shell', 'a shell'),
  code: ({ scope }) => capability(scope, 'code', 'a code sandbox'),
  fetch: ({ scope }) => capability(scope, 'fetch', 'network access'),
  call: (state) => (name, input) => state.another(state.scope, `${state.prepared.callId}/${++state.nested}`, name, input),
  progress:
    ({ scope, prepared }) =>
    (value) =>
      scope.onProgress(prepared, value),
  run: ({ scope }) => scope.run,
}

const prototype = /* @__PURE__ */ Object.defineProperties(
  {},
  /* @__PURE__ */ Object.fromEntries(
    /* @__PURE__ */ Object.entries(getters).map(([key, read]) => [
      key,
      {
        enumerable: true,
        get(this: Context): unknown {
          return read(this[stateKey])
        },
      },
    ]),
  ),
) as Context

export function toolContext(prepared: PreparedCall, entry: Entry, scope: CallScope, another: CallAnother): Context {
  const context = Object.create(prototype) as Context
  context[stateKey] = { prepared, entry, scope, another, controller: undefined, aborted: undefined, nested: 0 }
  return context
}

/** Aborts the context's signal, also for a tool that only looks at it later. */
export function abortContext(context: Context, reason: SameloopError): void {
  const state = context[stateKey]
  state.aborted = reason
  state.controller?.abort(reason)
}

function signalOf(state: State): AbortSignal {
  if (state.controller === undefined) {
    state.controller = new AbortController()
    if (state.aborted !== undefined) state.controller.abort(state.aborted)
  }
  return state.controller.signal
}

function capability<Key extends keyof Capabilities>(scope: CallScope, key: Key, what: string): NonNullable<Capabilities[Key]> {
  const found = scope.capabilities[key]
  if (found !== undefined && found !== null) return found
  const presets = 'virtual(), browser(), cloudflare(), deno() or node()'
  throw new SameloopError('config-missing-capability', `The tool needs ${what}, which this environment does not have: give the agent an env, for example one of ${presets}`, {
    data: { capability: key },
  })
}
