// Whether what templates and conditions look up can be there.
import { cut } from '../json/text.ts'
import { own } from '../json/value.ts'
import type { Json } from '../json/value.ts'
import type { InnerNode, WorkflowJson, WorkflowNode } from './definition.ts'
import { lookUps } from './look-up.ts'
import type { LookUp } from './look-up.ts'
import { fieldName, hint, refusal } from './refusal.ts'
import type { Site } from './refusal.ts'
import { expressionsOf } from './template-text.ts'

interface Names {
  readonly ids: { has(id: string): boolean; keys(): Iterable<string> }
  /** The declared state; nothing where any key may be set. */
  readonly state: WorkflowJson['state']
}

/** The expressions of one field, and the names that only it knows. */
interface Use {
  readonly field: string
  readonly expressions: readonly string[]
  readonly local?: readonly string[] | undefined
}

/** Throws for a name that is no node and for state that is not declared. */
export function checkNames(site: Site, node: WorkflowNode, names: Names): void {
  for (const { field, expressions, local = [] } of usesOf(node)) {
    const at = { ...site, field }
    for (const lookUp of expressions.flatMap(lookUps)) checkLookUp(at, lookUp, { names, local })
  }
  for (const key of Object.keys(node.set ?? {})) {
    if (names.state && !Object.hasOwn(names.state, key)) throw undeclared({ ...site, field: 'set' }, key, names.state)
  }
}

function checkLookUp(
  site: Site,
  { name, key }: LookUp,
  { names, local }: { readonly names: Names; readonly local: readonly string[] },
): void {
  if (name === 'state' && names.state && key !== undefined && !Object.hasOwn(names.state, key))
    throw undeclared(site, key, names.state)
  if (name === 'input' || name === 'state' || local.includes(name) || names.ids.has(name)) return
  const where = own(places, name)
  if (where !== undefined) throw refusal(site, `${fieldName(site)} looks up "${name}", which is known ${where} only`)
  const ids = [...names.ids.keys()]
  const dashed = ids.find((id) => id.startsWith(`${name}-`))
  const why =
    dashed === undefined
      ? hint(name, ['input', 'state', ...local, ...ids])
      : `; the id "${dashed}" has a "-", which is a minus in expressions: write "_" there`
  throw refusal(site, `${fieldName(site)} looks up "${cut(name, 80)}", which is neither input, state nor a node${why}`)
}

const places: Readonly<Record<string, string>> = {
  item: 'in "each" of a map',
  index: 'in "each" of a map',
  output: 'in "set"',
}

function undeclared(site: Site, key: string, state: Readonly<Record<string, unknown>>): Error {
  return refusal(
    site,
    `${fieldName(site)} names "${cut(key, 80)}", which "state" does not declare${hint(key, Object.keys(state))}`,
  )
}

function usesOf(node: WorkflowNode): Use[] {
  const uses = ownUses(node)
  if (node.set) uses.push({ field: 'set', expressions: expressionsOf(node.set), local: ['output'] })
  return uses
}

function ownUses(node: WorkflowNode): Use[] {
  const use = (field: string, template: Json | undefined): Use => ({ field, expressions: expressionsOf(template) })
  switch (node.type) {
    case 'if':
      return [{ field: 'condition', expressions: [node.condition] }]
    case 'switch':
      return [{ field: 'value', expressions: [node.value] }]
    case 'end':
      return [use('output', node.output)]
    case 'approval':
      return [use('message', node.message)]
    case 'parallel':
      return Object.entries(node.branches).map(([name, branch]) => use(`branches.${name}`, templateOf(branch)))
    case 'map':
      return [use('items', node.items), { ...use('each', templateOf(node.each)), local: ['item', 'index'] }]
    case 'tool':
    case 'agent':
    case 'model':
      return [use(node.type === 'tool' ? 'input' : 'prompt', templateOf(node))]
    default:
      return []
  }
}

/** The one template of what calls. */
function templateOf(node: InnerNode): Json | undefined {
  return node.type === 'agent' || node.type === 'model' ? node.prompt : node.input
}
