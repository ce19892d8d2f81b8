// What a call would do, in its tool's own words, for the person who decides.
import { SameloopError } from '../error/error.ts'
import { plainJson } from '../json/text.ts'
import type { Preview } from '../message/decision.ts'
import { toolContext } from './context.ts'
import type { ReadyCall } from './prepare.ts'
import { unless } from './scope.ts'
import type { CallScope } from './scope.ts'

/** A preview that fails or takes too long is left out: it must not stand between a person and the decision. */
export async function previewOf(scope: CallScope, call: ReadyCall): Promise<Preview | undefined> {
  const { describeCall } = call.entry.tool
  if (!describeCall) return undefined
  const describe = async (): Promise<Preview | undefined> =>
    plainJson(await describeCall(call.input, toolContext(call, scope, noCalls))) as Preview | undefined
  const described = new Promise<Preview | undefined>((resolve) => {
    const leaveOut = (): void => resolve(undefined)
    describe().then(resolve, leaveOut).finally(scope.host.timer(5000, leaveOut))
  })
  return unless(scope, 'stopped', described, () => undefined)
}

const noCalls = (): Promise<never> => Promise.reject(new SameloopError('config-invalid', 'A preview calls no tools'))
