// Pins: the closed lists of the wire. A red pin means a deliberate change of the public surface, with a changelog entry.
import { describe, expect, it } from 'vitest'
import { typeTags, unionMembers } from './source.ts'

describe('closed lists', () => {
  it('has exactly these error codes', () => {
    expect(unionMembers('src/error/codes.ts', 'ErrorCode')).toMatchInlineSnapshot(`
      [
        "config-invalid",
        "config-duplicate-tool",
        "config-missing-capability",
        "config-schema-without-json-schema",
        "model-request",
        "model-connection",
        "model-response",
        "model-truncated",
        "model-script",
        "model-denied",
        "stream-too-large",
        "stream-stalled",
        "stream-invalid",
        "schema-invalid",
        "schema-unsupported",
        "schema-mismatch",
        "expression-invalid",
        "expression-failed",
        "tool-not-found",
        "tool-invalid-input",
        "tool-invalid-output",
        "tool-denied",
        "tool-timeout",
        "tool-failed",
        "tool-aborted",
        "tool-pending",
        "tool-limit",
        "tool-fatal",
        "source-failed",
        "plan-invalid",
        "plan-step-failed",
        "workflow-invalid",
        "workflow-failed",
        "run-already-read",
        "run-unknown-call",
        "run-invalid-decision",
        "run-suspended",
        "run-not-done",
        "run-invalid-input",
        "run-invalid-snapshot",
        "run-snapshot-used",
        "run-unsigned-snapshot",
        "run-tool-changed",
        "run-interrupted",
        "run-internal",
        "journal-conflict",
        "journal-unknown-run",
        "journal-version",
        "journal-failed",
        "journal-invalid",
        "journal-exhausted",
        "vfs-not-found",
        "vfs-exists",
        "vfs-not-directory",
        "vfs-is-directory",
        "vfs-not-empty",
        "vfs-denied",
        "vfs-read-only",
        "vfs-invalid",
        "vfs-no-space",
        "vfs-busy",
        "vfs-too-large",
        "vfs-conflict",
        "vfs-failed",
        "sandbox-failed",
      ]
    `)
  })
  it('has exactly these event types', () => {
    expect(typeTags('src/message/event.ts', 'EventBody')).toMatchInlineSnapshot(`
      [
        "run-start",
        "step-start",
        "text-start",
        "text-delta",
        "text-end",
        "reasoning-start",
        "reasoning-delta",
        "reasoning-end",
        "tool-input-start",
        "tool-input-delta",
        "tool-call",
        "approval-request",
        "approval-response",
        "tool-start",
        "tool-progress",
        "tool-end",
        "source",
        "file",
        "object-delta",
        "usage",
        "retry",
        "step-reset",
        "compaction",
        "warning",
        "observer-error",
        "step-end",
        "node-start",
        "node-end",
        "error",
        "run-end",
      ]
    `)
  })
  it('has exactly these ways to stop', () => {
    expect(unionMembers('src/message/event.ts', 'Stop')).toMatchInlineSnapshot(`
      [
        "end",
        "return-direct",
        "stop-sequence",
        "approval",
        "client-tool",
        "aborted",
        "failed",
        "output-limit",
        "content-filter",
        "refusal",
        "steps",
        "tool-calls",
        "tokens",
        "cost",
        "time",
        "repeated-calls",
        "custom",
      ]
    `)
  })
  it('has exactly these run statuses', () => {
    expect(unionMembers('src/message/event.ts', 'RunStatus')).toMatchInlineSnapshot(`
      [
        "done",
        "suspended",
        "stopped",
        "aborted",
        "failed",
      ]
    `)
  })
  it('has exactly these warning codes', () => {
    expect(unionMembers('src/message/event.ts', 'WarningCode')).toMatchInlineSnapshot(`
      [
        "setting-ignored",
        "call-id-replaced",
        "duplicate-call",
        "history-repaired",
        "late-result",
        "events-dropped",
        "unknown-finish-reason",
        "keys-dropped",
        "tool-changed",
        "stream-invalid",
        "part-ignored",
      ]
    `)
  })
  it('has exactly these reasons of a failed call', () => {
    expect(unionMembers('src/message/part.ts', 'FailureReason')).toMatchInlineSnapshot(`
      [
        "not-found",
        "invalid-input",
        "denied",
        "timeout",
        "failed",
        "invalid-output",
        "aborted",
        "pending",
        "unknown-outcome",
        "limit",
      ]
    `)
  })
  it('has exactly these words of a decision', () => {
    expect(unionMembers('src/message/decision.ts', 'DecisionWord')).toMatchInlineSnapshot(`
      [
        "approve",
        "approve-session",
        "deny",
        "deny-always",
        "edit",
        "retry",
      ]
    `)
  })
  it('has exactly these model events', () => {
    expect(typeTags('src/message/model-event.ts', 'ModelEvent')).toMatchInlineSnapshot(`
      [
        "text-start",
        "text-delta",
        "text-end",
        "reasoning-start",
        "reasoning-delta",
        "reasoning-end",
        "tool-input-start",
        "tool-input-delta",
        "tool-result",
        "source",
        "file",
        "finish",
      ]
    `)
  })
  it('has exactly these reasons to finish', () => {
    expect(unionMembers('src/message/model-event.ts', 'FinishReason')).toMatchInlineSnapshot(`
      [
        "stop",
        "tool-calls",
        "length",
        "stop-sequence",
        "content-filter",
        "refusal",
        "unknown",
      ]
    `)
  })
})
