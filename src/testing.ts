// sameloop/testing: scenarios, the kit they run on, and what makes two runs comparable.
export { kit } from './testing/kit.ts'
export type { Kit, Scenario } from './testing/kit.ts'
export { runSuite } from './testing/suite.ts'
export type { ScenarioReport, SuiteReport } from './testing/suite.ts'
export { canonicalJson, canonicalTrace, traceHash } from './testing/trace.ts'
export { scenarios } from './testing/scenarios/all.ts'
export { sandboxContract } from './testing/contract/sandbox.ts'
export type { LackingProgram, SandboxPrograms } from './testing/contract/sandbox.ts'
export { storeContract } from './testing/contract/store.ts'
export type { StoreAbility, StoreUnderTest } from './testing/contract/store.ts'
export { vfsContract } from './testing/contract/vfs.ts'
export { vfsSequences } from './testing/contract/vfs-sequences.ts'
export type { SequenceOptions } from './testing/contract/vfs-sequences.ts'
export { lintTools } from './testing/lint/lint-tools.ts'
export type { Lintable } from './testing/lint/lint-tools.ts'
export type { LintFinding, LintRule } from './testing/lint/finding.ts'
export type { LintProvider } from './testing/lint/provider.ts'
export { scriptedModel } from './model/scripted-model.ts'
export type {
  ScriptedCall,
  ScriptedItem,
  ScriptedModel,
  ScriptedOptions,
  ScriptedTurn,
} from './model/scripted-model.ts'
