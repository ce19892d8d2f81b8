// What the linter says, and how a tool looks to it.
import type { Json } from '../../json/value.ts'

export type LintRule =
  | 'name-form'
  | 'name-taken'
  | 'vague-description'
  | 'long-description'
  | 'same-description'
  | 'undocumented-parameter'
  | 'large-schema'
  | 'too-many-tools'
  | 'refused-schema'
  | 'ignored-schema'

export interface LintFinding {
  /** Its name as registered; `*` for a finding about all of them. */
  readonly tool: string
  readonly rule: LintRule
  readonly message: string
  /** JSON Pointer into the input schema. */
  readonly path?: string
  /** `error`: a provider refuses the request, or a call goes astray. `warning`: models will do worse. */
  readonly severity: 'error' | 'warning'
}

/** A tool as models are told of it, under its registered name. */
export interface Told {
  readonly name: string
  readonly description: string
  readonly inputSchema: { readonly [key: string]: Json | undefined }
}

export const finding = (
  { name }: Pick<Told, 'name'>,
  rule: LintRule,
  message: string,
  { path, severity = 'warning' }: { readonly path?: string; readonly severity?: LintFinding['severity'] } = {},
): LintFinding => ({ tool: name, rule, message, ...(path === undefined ? {} : { path }), severity })
