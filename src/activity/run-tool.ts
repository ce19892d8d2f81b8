// A tool of the workflow's own that is a run, and does nothing itself.
import { withSubRun } from '../registry/sub-run.ts'
import { jsonSchema } from '../schema/check.ts'
import { tool } from '../tool/define.ts'
import type { Tool } from '../tool/tool.ts'

type Running = Parameters<typeof withSubRun>[1]

/** A tool that is a run. What runs within has effects of its own. */
export const runTool = (name: string, run: Running): Tool =>
  withSubRun(
    tool({
      name,
      description: 'Runs what it holds.',
      input: jsonSchema({ type: 'object' }),
      effect: 'read',
      timeoutMs: Infinity,
      execute: () => undefined,
    }) as Tool,
    run,
  )
