// What a person can do about an error: its cause in plain words and the next step, by code.

export interface Advice {
  readonly cause: string
  readonly next: string
}

const table: readonly (readonly [prefix: string, cause: string, next: string])[] = [
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
    'This is a mistake in the page that made the agent, not in your message.',
  ],
  ['tool-', 'A tool ended the run.', 'Change the task, or try again.'],
  ['vfs-', 'The files could not be used.', 'Check the path and the free space, then try again.'],
  ['journal-', 'The run could not be written down.', 'Try again. If it stays, begin a new session.'],
  ['run-', 'The run could not go on.', 'Send a new message; what was said before is kept.'],
  [
    'offline',
    'There is no connection to the worker.',
    'Check your network. The worker keeps the run; it is shown again once the connection is back.',
  ],
  ['http-401', 'The worker wants an access token.', 'Enter the token where the model is chosen.'],
  ['http-403', 'The worker does not allow this.', 'Check the access token where the model is chosen.'],
  ['unauthorized', 'The worker wants an access token.', 'Enter the token where the model is chosen.'],
  ['http-404', 'The worker does not know this session.', 'Begin a new session.'],
  ['http-409', 'Another run of this session is at work.', 'Wait for it, or stop it.'],
]

/** The first entry that fits wins: longer prefixes come first. */
export function adviceFor(code: string): Advice {
  const [, cause, next] = table.find(([prefix]) => code.startsWith(prefix)) ?? [
    '',
    'Something went wrong that is not known here.',
    'Try again. What was finished before is kept.',
  ]
  return { cause, next }
}
