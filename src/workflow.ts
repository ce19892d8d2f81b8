// `sameloop/workflow`: workflows of tools, agents, models and people, from code or JSON, and the engine that runs them.
export { parseWorkflow, workflow } from './workflow/workflow.ts'
export type { EndOptions, NodeOptions, StartOptions, WorkflowBuilder, WorkflowOptions } from './workflow/builder.ts'
export type { Workflow } from './workflow/load.ts'
export type * from './workflow/definition.ts'
export { workflowEngine } from './engine/engine.ts'
export type { WorkflowEngine, WorkflowRunOptions } from './engine/engine.ts'
export type { EngineOptions } from './activity/setup.ts'
export type { WorkflowResult, WorkflowRun } from './engine/driver.ts'
