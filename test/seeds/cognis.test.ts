// What the second of the seeds promises holds here. C7 (the other built-in tools) comes with them.
import { planPromises } from '../../src/testing/scenarios/plans.ts'
import { cognisScenarios } from '../../src/testing/scenarios/seeds-cognis.ts'
import { accept } from './acceptance.ts'

accept('Cognis', ['C1', 'C2', 'C3', 'C4', 'C5', 'C6', 'C10', 'C8', 'C9'], [...cognisScenarios, ...planPromises])
