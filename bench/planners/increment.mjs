// The tool of all plans: it checks one field and adds one.
import { entry } from '../library.mjs'

/** A registry with the tool in it. */
export async function incrementRegistry() {
  const { toolRegistry } = await entry('./registry')
  const { tool } = await entry('./valibot')
  const v = await import('valibot')
  const input = v.object({ n: v.number() })
  return toolRegistry().register(
    tool({ name: 'increment', description: 'Adds one.', input, effect: 'read', execute: ({ n }) => n + 1 }),
  )
}
