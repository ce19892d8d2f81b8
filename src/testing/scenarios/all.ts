// Every scenario, in the order in which they run.
import type { Scenario } from '../kit.ts'
import { approvalScenarios } from './approvals.ts'
import { builtInScenarios } from './built-ins.ts'
import { callScenarios } from './calls.ts'
import { limitScenarios } from './limits.ts'
import { randomScenarios } from './random.ts'
import { runScenarios } from './runs.ts'
import { cognisScenarios } from './seeds-cognis.ts'
import { journalScenarios } from './journal.ts'
import { mcpScenarios } from './mcp.ts'
import { mcpServeScenarios } from './mcp-serve.ts'
import { planScenarios } from './plans.ts'
import { kavalScenarios } from './seeds-kaval.ts'
import { kovaScenarios } from './seeds-kova.ts'
import { snapshotScenarios } from './snapshots.ts'
import { sourceScenarios } from './sources.ts'
import { stepScenarios } from './steps.ts'
import { subAgentScenarios } from './sub-agents.ts'
import { wireScenarios } from './wire.ts'
import { webScenarios } from './web.ts'
import { workflowRunScenarios } from './workflow-runs.ts'
import { workflowScenarios } from './workflows.ts'
import { worldScenarios } from './world.ts'

export const scenarios: readonly Scenario[] = [
  ...worldScenarios,
  ...callScenarios,
  ...stepScenarios,
  ...approvalScenarios,
  ...snapshotScenarios,
  ...limitScenarios,
  ...runScenarios,
  ...wireScenarios,
  ...sourceScenarios,
  ...mcpScenarios,
  ...mcpServeScenarios,
  ...webScenarios,
  ...subAgentScenarios,
  ...journalScenarios,
  ...planScenarios,
  ...workflowScenarios,
  ...workflowRunScenarios,
  ...builtInScenarios,
  ...kovaScenarios,
  ...cognisScenarios,
  ...kavalScenarios,
  ...randomScenarios,
]
