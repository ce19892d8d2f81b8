// `tool()`: checks a definition once, where its author can see the mistake.
import { SameloopError } from '../error/error.ts'
import { misfit } from '../message/shape.ts'
import { toSchema } from '../schema/standard.ts'
import type { StandardSchema } from '../schema/schema.ts'
import type { ToolContext } from './context.ts'
import type { ArgumentOf, ResultOf, Tool, ToolOptions, ToolReturn } from './tool.ts'

type AnySchema = StandardSchema<unknown, unknown>

/**
 * A tool from its definition. With a plain function as second argument the result is that function, still directly
 * callable, and a tool at once.
 * Throws `config-invalid` for a missing name or description and `config-schema-without-json-schema` for a schema the
 * model could not be shown.
 */
export function tool<
  const In extends AnySchema | undefined = undefined,
  const Out extends AnySchema | undefined = undefined,
>(options: ToolOptions<In, Out>): Tool<ArgumentOf<In>, ResultOf<Out>>
export function tool<
  Act extends (input: ArgumentOf<In>, context: ToolContext) => ToolReturn<ResultOf<Out>>,
  const In extends AnySchema | undefined = undefined,
  const Out extends AnySchema | undefined = undefined,
>(options: Omit<ToolOptions<In, Out>, 'execute'>, act: Act): Act & Tool<ArgumentOf<In>, ResultOf<Out>>
export function tool(options: object, act?: (input: never, context: ToolContext) => unknown): unknown {
  checkTool(options as Tool)
  if (!act) return options
  const callable = (input: never, context: ToolContext): unknown => act(input, context)
  for (const [key, value] of Object.entries({ ...options, execute: act })) {
    // A function's own `name` is not writable, but it can be defined anew.
    Object.defineProperty(callable, key, { value, enumerable: true })
  }
  return callable
}

/** Throws unless `candidate` has the shape of a tool; a hand-written object is checked the same way. */
export function checkTool(candidate: Tool): void {
  const { name, description, execute, input, output, timeoutMs = 0, mode } = (candidate as Tool | null) ?? ({} as Tool)
  const problem = misfit(
    {
      name: name || undefined,
      description: description || undefined,
      execute: typeof execute,
      mode,
      timed: timeoutMs >= 0,
    },
    {
      name: 'string',
      description: 'string',
      execute: ['function', 'undefined'],
      mode: [undefined, 'parallel', 'exclusive'],
      timed: [true],
    },
  )
  if (problem) throw new SameloopError('config-invalid', `Cannot use tool "${name}": ${problem}`)
  if (input) toSchema(input, 'input')
  if (output) toSchema(output, 'output')
}
