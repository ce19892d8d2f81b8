// A schema as the library uses it: JSON Schema for the model, a check for the value.

export type JsonSchema = { readonly [key: string]: unknown }

export interface Issue {
  /** Property names and indexes from the root. */
  readonly path: readonly (string | number)[]
  readonly message: string
}

export type Checked =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly issues: readonly Issue[] }

export interface Schema {
  readonly json: JsonSchema
  /** What `check` takes, where `json` is about what it gives (an output schema with transforms). */
  readonly accepts?: JsonSchema | undefined
  /** Synchronous and pure; `value` is the output after the schema's own transforms. */
  check(value: unknown): Checked
}

/** The part of the Standard Schema specification (version 1) and of its JSON Schema extension that we read. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
    readonly jsonSchema?:
      | {
          readonly input: (options: { readonly target: string }) => Record<string, unknown>
          readonly output: (options: { readonly target: string }) => Record<string, unknown>
        }
      | undefined
  }
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

export type InputOf<S> = S extends StandardSchema<infer Input, infer _> ? Input : unknown
export type OutputOf<S> = S extends StandardSchema<infer _, infer Output> ? Output : unknown
