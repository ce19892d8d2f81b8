// `sameloop/plan`: plans of tool calls that depend on each other, run as soon as what each needs is there.
export { plan } from './plan/plan.ts'
export type { Plan } from './plan/plan.ts'
export type * from './plan/step.ts'
export { orchestrator } from './orchestrator/orchestrator.ts'
export type { Orchestrator, OrchestratorOptions, PlanRunOptions } from './orchestrator/orchestrator.ts'
export type { PlanInput, PlanResult, PlanResumeOptions, PlanRun } from './orchestrator/driver.ts'
export { planTool } from './orchestrator/plan-tool.ts'
export type { PlanToolOptions } from './orchestrator/plan-tool.ts'
