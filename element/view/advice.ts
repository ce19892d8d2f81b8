// What a person can do about an error: its cause in plain words and the next step, by code.

export interface Advice {
  readonly cause: string
  readonly next: string
  /** Only another session helps. */
  readonly renews?: boolean | undefined
}

type Words = readonly [cause: string, next: string, renews?: boolean]

const token: Words = ['The worker wants an access token.', 'Enter the token where the model is chosen.']
const busy: Words = ['Another run of this session is at work, or waits for you.', 'Wait for it, decide, or stop it.']
const elsewhere: Words = [
  'What answered is not the worker.',
  'Check the address of the worker, and whether a log-in page or a proxy stands before it.',
]
const mismatch: Words = [
  'The worker did not understand this page.',
  'Reload the page: the worker may be of another version.',
]
const broken: Words = ['The worker failed.', 'Try again. If it stays, its log says why.']
const settled: Words = ['This question is not open any more.', 'Look at what the run did since, and go on from there.']

/** By the codes that the worker and the conversation with it really use. */
const exact: Readonly<Record<string, Words>> = {
  offline: [
    'There is no connection to the worker.',
    'Check your network. A run goes on at the worker, and is shown again once the connection is back.',
  ],
  unconfirmed: [
    'The worker did not answer, so nobody knows whether it has your message.',
    'Send the same message again: it does not run twice.',
  ],
  'no-json': elsewhere,
  'no-stream': elsewhere,
  'no-session': elsewhere,
  'no-run': elsewhere,
  'worker-failed': mismatch,
  unauthorized: token,
  'http-401': token,
  'http-403': ['The worker does not allow this.', 'Check the access token where the model is chosen.'],
  'forbidden-origin': [
    'The worker does not serve this page.',
    'Whoever runs the worker must add the address of this page to its allowed origins.',
  ],
  'not-configured': ['The worker is not set up yet.', 'Whoever runs the worker must set the variable that is named.'],
  'http-404': elsewhere,
  'not-found': elsewhere,
  'method-not-allowed': mismatch,
  'invalid-request': mismatch,
  'unknown-session': [
    'The worker does not know this session any more.',
    'Start a new session. What was said stays readable here; the files of this one are gone.',
    true,
  ],
  'unknown-event': [
    'The worker has lost a part of this session.',
    'Reload the page to see what it still has, or start a new session.',
    true,
  ],
  'session-full': ['This session is full.', 'Start a new session.', true],
  'too-large': ['That is larger than the worker takes: 1 MiB.', 'Send less at once.'],
  'http-413': ['That is larger than the worker takes.', 'Send less at once.'],
  'http-429': ['The worker has too much to do.', 'Wait a moment, then try again.'],
  'run-active': busy,
  'http-409': busy,
  'idempotency-conflict': ['This message was sent before in another form.', 'Send it again.'],
  'run-unknown-call': settled,
  'run-snapshot-used': settled,
  'run-invalid-decision': ['This answer does not fit the question.', 'Correct it, or choose another answer.'],
  'run-invalid-input': ['The message could not be used.', 'Change it, then send it again.'],
  'run-invalid-snapshot': ['The waiting run cannot be gone on with.', 'Stop it, then send a new message.'],
  'run-tool-changed': ['A tool of the waiting run has changed since.', 'Stop the run, then send a new message.'],
  'run-interrupted': [
    'The run was cut off: the worker started anew.',
    'Check what the last step did, then send a new message. What was finished is kept.',
  ],
  internal: broken,
}

const families: readonly (readonly [prefix: string, ...Words])[] = [
  ['http-5', ...broken],
  [
    'model-connection',
    'The server of the model could not be reached.',
    'Check that it runs, that its address is right, and that it allows requests from this page (CORS).',
  ],
  [
    'model-request',
    'The server of the model refused the request.',
    'Check the key, the model name and the address of the model.',
  ],
  [
    'model-response',
    'The server of the model sent something that is no answer.',
    'Check that its address is that of the API, or try again.',
  ],
  ['model-', 'The answer of the model broke off.', 'Try again. What was finished before is kept.'],
  ['stream-', 'The stream of the answer broke its own rules or a limit.', 'Try again, or choose another model.'],
  [
    'config-',
    'The agent is not set up for this.',
    'This is a mistake in what made the agent, not in your message. Another model may do.',
  ],
  ['tool-', 'A tool ended the run.', 'Change the task, or try again.'],
  ['vfs-', 'The files could not be used.', 'Check the path and the free space, then try again.'],
  ['journal-', 'The run could not be written down.', 'Try again. If it stays, begin a new session.'],
  ['run-', 'The run could not go on.', 'Send a new message; what was said before is kept.'],
]

const unknown: Words = ['Something went wrong that is not known here.', 'Try again. What was finished before is kept.']

/** By the whole code, else by the first family that fits: longer prefixes come first. */
export function adviceFor(code: string): Advice {
  const [cause, next, renews = false] = wordsFor(code)
  return { cause, next, renews }
}

function wordsFor(code: string): Words {
  if (Object.hasOwn(exact, code)) return exact[code] as Words
  const family = families.find(([prefix]) => code.startsWith(prefix))
  return family === undefined ? unknown : [family[1], family[2]]
}
