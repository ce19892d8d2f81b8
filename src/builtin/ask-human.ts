// Asking the person who uses the agent.
import { tool } from '../tool/define.ts'
import type { Tool } from '../tool/tool.ts'
import { objectInput } from './json-input.ts'

/**
 * A tool without `execute`: the run waits for the answer, in a page as a question, anywhere else suspended until somebody
 * resumes it with `{ callId, result: 'the answer' }`.
 */
export const askHuman = (): Tool =>
  tool({
    name: 'ask_human',
    description:
      'Asks the person who uses you one question and gives their answer. Use it when only they can know or decide something.',
    input: objectInput<{ question: string; context?: string }>(
      {
        question: { type: 'string', minLength: 1, description: 'One question, in the language of the person' },
        context: { type: 'string', description: 'What the person should know to answer it' },
      },
      ['question'],
    ),
    effect: 'read',
    repeatable: true,
  }) as Tool
