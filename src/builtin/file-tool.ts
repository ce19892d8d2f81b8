// What the file tools have in common: their input, their faults in band, and for those that write, a look before a yes.
import { isSameloopError } from '../error/error.ts'
import type { Preview } from '../message/decision.ts'
import type { JsonSchema } from '../schema/schema.ts'
import type { Tool, ToolAnswer } from '../tool/tool.ts'
import type { Vfs } from '../vfs/vfs.ts'
import { objectInput } from './json-input.ts'
import { inBand } from './workspace.ts'
import type { Workspace } from './workspace.ts'

export const pathField: JsonSchema = {
  type: 'string',
  description: 'Path; a relative one counts from the workspace root',
}

interface Facts<Input> {
  readonly name: string
  readonly description: string
  readonly fields: Readonly<Record<keyof Input & string, JsonSchema>>
  /** The fields that must be there. */
  readonly needs: readonly (keyof Input & string)[]
  readonly examples?: readonly string[]
}

interface ReadTool<Input> extends Facts<Input> {
  run(files: Vfs, input: Input, signal: AbortSignal): Promise<ToolAnswer>
}

/** A tool that looks at files. */
export function readTool<Input>(space: Workspace, { fields, needs, run, ...facts }: ReadTool<Input>): Tool<Input> {
  return {
    ...facts,
    input: objectInput<Input>(fields, needs),
    effect: 'read',
    execute: (input, context) => {
      const files = space.files(context)
      return inBand(files, () => run(files, input, context.signal))
    },
  }
}

/** What a call would do to the files as they are now. */
export interface Plan {
  /** For the person who decides, and the state of the files that this is about. */
  show(summary: string): Promise<{ readonly preview: Preview; readonly state: string }>
  go(): Promise<ToolAnswer>
}

export interface WriteTool<Input> extends Facts<Input> {
  readonly verb: string
  plan(files: Vfs, input: Input, signal: AbortSignal): Promise<Plan>
}

/** A tool that changes files: a person is asked first, and what they were shown is what happens. */
export function writeTool<Input extends { readonly path: string }>(
  space: Workspace,
  { fields, needs, verb, plan, ...facts }: WriteTool<Input>,
): Tool<Input> {
  // The schema below has checked this JSON and changes nothing: it is the input itself.
  const inputOf = (checked: unknown): Input => checked as Input
  return {
    ...facts,
    input: objectInput<Input>(fields, needs),
    effect: 'local',
    mode: 'exclusive',
    approval: (value) => space.asks(inputOf(value).path),
    describeCall: async (value, context) => {
      const input = inputOf(value)
      const summary = `${verb} ${JSON.stringify(input.path)}`
      try {
        const planned = await plan(space.files(context), input, context.signal)
        const { preview, state } = await planned.show(summary)
        space.shown.keep(context, input.path, state)
        return preview
      } catch (error) {
        if (!isSameloopError(error)) throw error
        space.shown.keep(context, input.path, undefined)
        return { summary: `${summary}; this will fail: ${error.message}` }
      }
    },
    execute: (input, context) => {
      const files = space.files(context)
      return inBand(files, async () => {
        const planned = await plan(files, input, context.signal)
        await space.shown.check(context, input.path, async () => (await planned.show('')).state)
        return planned.go()
      })
    },
  }
}
