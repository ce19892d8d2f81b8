// Ready answers to `approve`, for those who decide by the name of a tool.
import type { Answer, ApprovalRequest } from '../message/decision.ts'
import { toolNames } from '../tool/tool-names.ts'

export interface ApproveToolsOptions {
  /** What becomes of the rest. `defer` (default) leaves the question open for a person. */
  readonly otherwise?: 'defer' | 'deny' | undefined
}

/**
 * Approves what the patterns name, as in a policy: `approveTools(['fs_*', 'rest://shop.*'])`. `['*']` approves
 * everything, `[]` with `otherwise: 'deny'` nothing. A question for a result, not a decision, stays open.
 */
export function approveTools(
  patterns: readonly string[],
  { otherwise = 'defer' }: ApproveToolsOptions = {},
): (request: ApprovalRequest) => Answer {
  const isNamed = toolNames(patterns)
  return ({ name, uri = `fn://${name}`, wants }) => {
    if (wants === 'result') return 'defer'
    return isNamed(name, uri) ? 'approve' : otherwise
  }
}
