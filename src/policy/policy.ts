// One policy for files, network and tools: what it does not allow does not happen, whoever asks.
import { amounts } from '../error/amount.ts'
import type { Policy } from '../tool/rule.ts'
import { fileConfinement } from './confine.ts'
import type { FileLimits } from './confine.ts'
import { guardedFetch } from './guarded-fetch.ts'
import { toolRule } from './tool-rule.ts'
import type { ToolLimits } from './tool-rule.ts'
import { urlCheck } from './url-rule.ts'
import type { UrlCheck, WebLimits } from './url-rule.ts'

/** A command that may take for ever would be ended by nobody. */
const longestTimer = 2 ** 31 - 1

export interface ShellLimits {
  /** Of one command, in milliseconds, from 1 to 2,147,483,647. Default 120,000. */
  readonly timeoutMs?: number | undefined
}

export interface PolicyOptions extends FileLimits {
  readonly tools?: ToolLimits | undefined
  readonly web?: WebLimits | undefined
  readonly shell?: ShellLimits | undefined
}

/** A policy with the limits that tools of the library read for themselves. */
export interface ReadyPolicy extends Policy {
  readonly checkUrl: UrlCheck
  readonly maxContentChars: number
  readonly shellTimeoutMs: number
}

/**
 * A policy. Without options files are confined to the environment's root, and requests to public https addresses.
 * `config-invalid` or `expression-invalid` for a rule that cannot be read, and for a limit that is no amount.
 */
export function policy(options: PolicyOptions = {}): ReadyPolicy {
  const { rule, advertises } = toolRule(options.tools)
  const { maxContentChars } = amounts(options.web ?? {}, { maxContentChars: 50_000 })
  const { timeoutMs } = amounts(options.shell ?? {}, { timeoutMs: 120_000 }, { least: 1, most: longestTimer })
  return {
    rules: [rule],
    advertises,
    confineFiles: fileConfinement(options),
    guardFetch: (fetch) => guardedFetch(fetch, options.web),
    checkUrl: urlCheck(options.web),
    maxContentChars,
    shellTimeoutMs: timeoutMs,
  }
}

/** The policy of a sub-agent: what both allow. It can only be narrower than its parent's. */
export function narrow(parent: Policy, child: Policy): Policy {
  return {
    rules: [...parent.rules, ...child.rules],
    advertises: (name, uri) => parent.advertises(name, uri) && child.advertises(name, uri),
    confineFiles: (files) => child.confineFiles(parent.confineFiles(files)),
    guardFetch: (fetch) => child.guardFetch(parent.guardFetch(fetch)),
  }
}
