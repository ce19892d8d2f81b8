// What a chat shows, one entry a line: made from records by `transcript.ts`, drawn by `part/`.
import type { ApprovalRequest, DecisionWord } from '../../src/message/decision.ts'
import type { RunStatus, Stop } from '../../src/message/event.ts'
import type { FailureReason, FilePart, PublicOutcome, SourcePart } from '../../src/message/part.ts'
import type { Json } from '../../src/json/value.ts'
import type { Coercion } from '../../src/schema/coerce.ts'

interface Base {
  /** Unique within the conversation, and the same for as long as the entry lives. */
  readonly key: string
}

export interface UserEntry extends Base {
  readonly kind: 'user'
  readonly text: string
}

/** Stands before what a model answers: which one it is. */
export interface ByEntry extends Base {
  readonly kind: 'by'
  readonly model: string
}

export interface TextEntry extends Base {
  readonly kind: 'text' | 'reasoning'
  readonly step: number
  readonly run: string
  readonly text: string
  readonly done: boolean
  readonly startedAt: number
  readonly endedAt?: number | undefined
}

/** `writing`: its arguments stream in; `planned`: known, not begun; `waiting`: a person is asked. */
export type ToolState = 'writing' | 'planned' | 'waiting' | 'running' | 'done' | 'failed'

export interface ToolEntry extends Base {
  readonly kind: 'tool'
  readonly run: string
  readonly step: number
  readonly callId: string
  readonly name: string
  readonly state: ToolState
  /** The arguments as they stream in; empty once `input` is known. */
  readonly text: string
  readonly input?: Json | undefined
  readonly malformed?: boolean | undefined
  readonly coercions?: readonly Coercion[] | undefined
  readonly request?: ApprovalRequest | undefined
  readonly decision?: { readonly word: DecisionWord | 'result'; readonly reason?: string | undefined } | undefined
  readonly progress?: Json | undefined
  readonly attempt?: number | undefined
  readonly startedAt?: number | undefined
  readonly outcome?: PublicOutcome | undefined
  readonly reason?: FailureReason | 'undecided' | undefined
  readonly durationMs?: number | undefined
}

export interface NoticeEntry extends Base {
  readonly kind: 'notice'
  readonly code: string
  readonly text: string
}

export interface ErrorEntry extends Base {
  readonly kind: 'error'
  readonly code: string
  readonly text: string
}

/** How a run ended, where that is worth a line: not for one that is simply done. */
export interface EndEntry extends Base {
  readonly kind: 'end'
  readonly status: RunStatus | 'interrupted' | 'cut'
  readonly stop?: Stop | undefined
}

export interface SourceEntry extends Base {
  readonly kind: 'source'
  readonly source: SourcePart
}

export interface FileEntry extends Base {
  readonly kind: 'file'
  readonly file: FilePart
}

export type Entry =
  | UserEntry
  | ByEntry
  | TextEntry
  | ToolEntry
  | NoticeEntry
  | ErrorEntry
  | EndEntry
  | SourceEntry
  | FileEntry
