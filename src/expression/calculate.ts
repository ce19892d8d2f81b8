// The calculator: arithmetic in, a number out.
import { arithmetic } from './arithmetic.ts'
import { parse } from './parser.ts'

/**
 * The value of an arithmetic expression of at most 4,000 characters, for example `2 * (3 + 4)^2`. `%` is the remainder,
 * `^` the power. Throws `expression-invalid` for what is no arithmetic and `expression-failed` for a division by zero
 * or a result that is no finite number; both have `data.position`, counted from 1.
 */
export function calculate(text: string): number {
  // Adding 0 turns -0 into 0.
  return (parse(text, arithmetic())(null) as number) + 0
}
