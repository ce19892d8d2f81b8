// The words the chat shows or speaks.
import type { Advice } from './view/advice.ts'

/**
 * Every word of the chat itself; each can be replaced through the element's `labels` property. Not among them: what
 * comes from elsewhere (names of tools and models, messages of errors and warnings, reasons of a policy, also those that
 * `localSession` and `remoteSession` give), the two names of models that are no AI, and units ("ms", "kB").
 */
export interface Labels {
  readonly conversation: string
  readonly message: string
  readonly placeholder: string
  readonly placeholderRunning: string
  readonly placeholderBusy: string
  readonly placeholderWaiting: string
  readonly send: string
  readonly stop: string
  readonly sendHint: string
  readonly stopHint: string
  readonly decideHint: string
  readonly latest: string
  readonly working: string
  readonly reasoning: string
  readonly reasoningNow: string
  readonly ruleBased: string
  readonly emptyTitle: string
  readonly emptyText: string
  readonly examples: string
  readonly arguments: string
  readonly pretty: string
  readonly raw: string
  readonly result: string
  readonly change: string
  readonly changeCut: string
  readonly lines: string
  readonly linesLeft: string
  readonly modelSaw: string
  readonly noArguments: string
  readonly noResult: string
  readonly showAll: string
  readonly openFile: string
  readonly coerced: string
  readonly approve: string
  readonly edit: string
  readonly deny: string
  readonly denyNow: string
  readonly denyAlways: string
  readonly always: string
  readonly alwaysHint: string
  readonly cancel: string
  readonly run: string
  readonly retry: string
  readonly markDone: string
  readonly answer: string
  readonly sendAnswer: string
  readonly decline: string
  readonly reason: string
  readonly reasonHint: string
  readonly editHint: string
  readonly notJson: string
  readonly notTaken: string
  readonly nothingYet: string
  readonly again: string
  readonly renew: string
  readonly goOn: string
  readonly lost: string
  readonly image: string
  readonly code: string
  readonly table: string
  readonly taskDone: string
  readonly taskOpen: string
  /** By code; it takes the place of what the chat says itself about an error. */
  readonly advices: Readonly<Record<string, Advice>>
  readonly states: Readonly<Record<string, string>>
  readonly reasons: Readonly<Record<string, string>>
  readonly decisions: Readonly<Record<string, string>>
  readonly effects: Readonly<Record<string, string>>
  readonly whys: Readonly<Record<string, string>>
  readonly stops: Readonly<Record<string, string>>
}

export const englishLabels: Labels = {
  conversation: 'Conversation',
  message: 'Message',
  placeholder: 'Say what to do…',
  placeholderRunning: 'Add something while it works…',
  placeholderBusy: 'It works. Press Esc to stop it',
  placeholderWaiting: 'Waiting for your decision above…',
  send: 'Send',
  stop: 'Stop',
  sendHint: 'Enter sends',
  stopHint: 'Esc stops',
  decideHint: 'Esc drops the question',
  latest: 'Latest',
  working: 'Working',
  reasoning: 'Reasoning',
  reasoningNow: 'Reasoning…',
  ruleBased: 'rule-based, no AI',
  emptyTitle: 'What should it do?',
  emptyText: 'Type a task, or begin with one of these.',
  examples: 'Examples',
  arguments: 'Arguments',
  pretty: 'Pretty',
  raw: 'Raw',
  result: 'Result',
  change: 'Change',
  changeCut: 'The change is too long to be shown whole. Its end is only in the arguments below.',
  lines: 'Lines',
  linesLeft: 'Lines not shown',
  modelSaw: 'What the model saw',
  noArguments: 'No arguments',
  noResult: 'Nothing was returned',
  showAll: 'Show all',
  openFile: 'Open',
  coerced: 'Read as',
  approve: 'Approve',
  edit: 'Edit',
  deny: 'Deny…',
  denyNow: 'Deny',
  denyAlways: 'Never in this session',
  always: 'Always in this session',
  alwaysHint: 'The same call is not asked about again in this session',
  cancel: 'Cancel',
  run: 'Run with these',
  retry: 'Run it again',
  markDone: 'It was done',
  answer: 'Your answer',
  sendAnswer: 'Send answer',
  decline: 'Decline',
  reason: 'Reason',
  reasonHint: 'Why not? The model reads this (optional)',
  editHint: 'Arguments as JSON',
  notJson: 'This is not valid JSON yet',
  notTaken: 'The answer was not taken',
  nothingYet: 'Nothing happens until you decide.',
  again: 'Try again',
  renew: 'New session',
  goOn: 'Continue',
  lost: 'Connection lost. Reconnecting…',
  image: 'Image',
  code: 'Code',
  table: 'Table',
  taskDone: 'Done',
  taskOpen: 'Open',
  advices: {},
  states: {
    writing: 'being written',
    planned: 'planned',
    waiting: 'waits for you',
    running: 'running',
    done: 'done',
    failed: 'failed',
  },
  reasons: {
    'not-found': 'no such tool',
    'invalid-input': 'wrong arguments',
    denied: 'denied',
    timeout: 'took too long',
    failed: 'failed',
    'invalid-output': 'wrong result',
    aborted: 'not run',
    pending: 'pending',
    'unknown-outcome': 'outcome unknown',
    limit: 'over the limit',
    undecided: 'not decided',
  },
  decisions: {
    approve: 'Approved by you',
    'approve-session': 'Approved by you for this session',
    deny: 'Denied by you',
    'deny-always': 'Denied by you for this session',
    edit: 'Edited and approved by you',
    retry: 'Run again by you',
    result: 'Answered by you',
  },
  effects: {
    read: 'only reads',
    local: 'changes files',
    idempotent: 'can be repeated safely',
    unsafe: 'may change things outside',
  },
  whys: {
    tool: 'This tool always asks first.',
    policy: 'A policy rule asks for your approval.',
    model: 'It plans by rules and may have misread you, so it asks before anything but reading.',
    'client-tool': 'This needs an answer from you.',
    'unknown-outcome': 'This was cut off while it ran. It may or may not have happened.',
  },
  stops: {
    aborted: 'Stopped by you',
    interrupted: 'The page went away while this ran. What had finished is kept.',
    cut: 'Earlier messages were not kept',
    'output-limit': 'The answer reached the output limit',
    'content-filter': 'The provider filtered the answer',
    refusal: 'The model refused to answer',
    steps: 'Stopped at the step limit',
    'tool-calls': 'Stopped at the tool-call limit',
    tokens: 'Stopped at the token limit',
    cost: 'Stopped at the cost limit',
    time: 'Stopped at the time limit',
    'repeated-calls': 'Stopped: it repeated the same call',
    custom: 'Stopped by a rule of the agent',
  },
}

/** The word for a key from outside; the key itself where there is none. */
export const wordFor = (words: Readonly<Record<string, string>>, key: string): string =>
  Object.hasOwn(words, key) ? (words[key] as string) : key
