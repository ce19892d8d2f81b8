// What the second of the seeds promises holds here.
import { builtInPromises } from '../../src/testing/scenarios/built-ins.ts'
import { planPromises } from '../../src/testing/scenarios/plans.ts'
import { cognisScenarios } from '../../src/testing/scenarios/seeds-cognis.ts'
import { accept } from './acceptance.ts'

accept(
  'Cognis',
  ['C1', 'C2', 'C3', 'C4', 'C5', 'C6', 'C10', 'C7', 'C8', 'C9'],
  [...cognisScenarios, ...builtInPromises, ...planPromises],
)
