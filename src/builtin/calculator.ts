// Arithmetic for models, without running code.
import { calculate } from '../expression/calculate.ts'
import type { Tool } from '../tool/tool.ts'
import { objectInput } from './json-input.ts'

/** `calculator { expression }`: the number. */
export function calculator(): Tool<{ readonly expression: string }, number> {
  return {
    name: 'calculator',
    description:
      'Computes an arithmetic expression exactly as written and returns the number. Knows + - * / % ^ and parentheses; ^ is the power.',
    input: objectInput({ expression: { type: 'string', description: 'For example "2 * (3 + 4)^2"' } }, ['expression']),
    effect: 'read',
    examples: ['calculate 12 * 7', 'what is 2 + 2'],
    execute: ({ expression }) => calculate(expression),
  }
}
