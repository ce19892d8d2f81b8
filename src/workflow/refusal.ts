// How a definition is refused: one error that says which node is wrong and what is wrong with it.
import { SameloopError } from '../error/error.ts'
import { cut } from '../json/text.ts'

/** Where in a definition something stands. */
export interface Site {
  /** The name of the whole workflow. */
  readonly workflow?: string | undefined
  /** The id; of a node within a node's workflow `outer/inner`. */
  readonly node?: string | undefined
  readonly field?: string | undefined
}

export interface RefusalDetails {
  readonly cause?: unknown
  /** Facts beside `node` and `problem`. */
  readonly data?: Readonly<Record<string, unknown>> | undefined
}

/** A `workflow-invalid` error; `data` has the node, where there is one, and the problem in words. */
export function refusal(
  { workflow, node }: Site,
  problem: string,
  { cause, data }: RefusalDetails = {},
): SameloopError {
  const named = workflow === undefined ? 'the workflow' : `the workflow "${cut(workflow, 80)}"`
  const place = node === undefined ? '' : `node "${cut(node, 200)}": `
  return new SameloopError('workflow-invalid', `Cannot use ${named}: ${place}${problem}`, {
    cause,
    data: { ...(node !== undefined && { node }), problem, ...data },
  })
}

/** The field's name for a sentence. */
export const fieldName = ({ field }: Site): string => (field === undefined ? 'the template' : `"${cut(field, 200)}"`)

/** The part of a message that names what was probably meant: nothing where there is no name at all. */
export function hint(wanted: string, names: Iterable<string>): string {
  const short = wanted.slice(0, 64)
  let best: string | undefined
  let least = Infinity
  for (const name of names) {
    const edits = distance(short, name.slice(0, 64))
    if (edits < least) [best, least] = [name, edits]
  }
  return best === undefined ? '' : `; the nearest is "${cut(best, 80)}"`
}

/** How many letters must be put in, left out or changed; upper and lower case are the same letter. */
function distance(left: string, right: string): number {
  const [from, to] = [left.toLowerCase(), right.toLowerCase()]
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let at = 1; at <= from.length; at++) {
    const next = [at]
    for (let end = 1; end <= to.length; end++) {
      const changed = (row[end - 1] ?? 0) + Number(from[at - 1] !== to[end - 1])
      next.push(Math.min(changed, (row[end] ?? 0) + 1, (next[end - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[to.length] ?? 0
}
