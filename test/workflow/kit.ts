// Small definitions, and what a refusal says.
import { isSameloopError } from '../../src/error/error.ts'
import type { SameloopError } from '../../src/error/error.ts'
import { checkWorkflow } from '../../src/workflow/check.ts'

export type Loose = { readonly [key: string]: unknown }

/** start, the nodes in between, end; each node leads to the next unless it says where to go. */
export function flow(nodes: readonly Loose[], rest: Loose = {}): Loose {
  const all = [{ id: 'start', type: 'start' }, ...nodes, { id: 'end', type: 'end' }] as readonly Loose[]
  const linked = all.map((node, index) => ({ next: all[index + 1]?.['id'], ...node }))
  const noNext = ['if', 'switch', 'end']
  return {
    version: 1,
    name: 'report',
    nodes: linked.map(({ next, ...node }: Loose) => (noNext.includes(String(node['type'])) ? node : { ...node, next })),
    ...rest,
  }
}

export const tool = (id: string, rest: Loose = {}): Loose => ({ id, type: 'tool', tool: 'http', ...rest })

export function errorOf(work: () => unknown): SameloopError {
  try {
    work()
  } catch (error) {
    if (isSameloopError(error)) return error
    throw error
  }
  throw new Error('Nothing was thrown')
}

export const refusalOf = (definition: unknown): SameloopError => errorOf(() => checkWorkflow(definition))

/** The node and the problem, as one text. */
export function problemOf(definition: unknown): string {
  const { code, data, message } = refusalOf(definition)
  if (code !== 'workflow-invalid') throw new Error(`Not a refusal: ${code}`)
  if (!message.endsWith(String(data['problem']))) throw new Error(`The message differs from the problem: ${message}`)
  return `${data['node'] ?? '-'}: ${data['problem']}`
}
