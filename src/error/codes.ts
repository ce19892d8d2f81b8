// The closed table of error codes. A test pins it: a new code is a deliberate change of the public surface.

export type ErrorCode =
  // A mistake in how the library was called; fix the program.
  | 'config-invalid'
  | 'config-duplicate-tool'
  | 'config-missing-capability'
  | 'config-schema-without-json-schema'
  // The model's server or the network. `data.class` and `data.status` say more.
  | 'model-request'
  | 'model-connection'
  | 'model-response'
  | 'model-truncated'
  | 'model-script'
  /** A gate refused the call. */
  | 'model-denied'
  // A byte stream that breaks its own protocol or a limit.
  | 'stream-too-large'
  | 'stream-stalled'
  | 'stream-invalid'
  // A value that does not fit, or a schema that cannot be used.
  | 'schema-invalid'
  | 'schema-unsupported'
  | 'schema-mismatch'
  | 'expression-invalid'
  | 'expression-failed'
  // Tools, when called by code (`registry.call`) or made fatal.
  | 'tool-not-found'
  | 'tool-invalid-input'
  | 'tool-invalid-output'
  | 'tool-denied'
  | 'tool-timeout'
  | 'tool-failed'
  | 'tool-aborted'
  | 'tool-pending'
  | 'tool-limit'
  | 'tool-fatal'
  | 'source-failed'
  /** A plan that cannot be run as it is written. */
  | 'plan-invalid'
  /** A step of a plan failed. */
  | 'plan-step-failed'
  /** A workflow that cannot be run as it is written. */
  | 'workflow-invalid'
  /** A node of a workflow failed. */
  | 'workflow-failed'
  // Runs, decisions and snapshots.
  | 'run-already-read'
  | 'run-unknown-call'
  | 'run-invalid-decision'
  | 'run-suspended'
  | 'run-not-done'
  | 'run-invalid-input'
  | 'run-invalid-snapshot'
  | 'run-snapshot-used'
  | 'run-unsigned-snapshot'
  | 'run-tool-changed'
  | 'run-interrupted'
  | 'run-internal'
  // Run stores.
  | 'journal-conflict'
  | 'journal-unknown-run'
  | 'journal-version'
  | 'journal-failed'
  /** A log that cannot be read: a record is missing or broken. */
  | 'journal-invalid'
  /** A run that was cut off again and again, and is not tried any more. */
  | 'journal-exhausted'
  // Files; `data.errno` holds the POSIX name and `data.path` the path.
  | 'vfs-not-found'
  | 'vfs-exists'
  | 'vfs-not-directory'
  | 'vfs-is-directory'
  | 'vfs-not-empty'
  | 'vfs-denied'
  | 'vfs-read-only'
  | 'vfs-invalid'
  | 'vfs-no-space'
  | 'vfs-busy'
  | 'vfs-too-large'
  | 'vfs-conflict'
  | 'vfs-failed'
  | 'sandbox-failed'
