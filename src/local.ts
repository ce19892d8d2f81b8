// Models that need no server: the rule-based planner.
export { localPlanner, plannerLabel } from './planner/planner.ts'
