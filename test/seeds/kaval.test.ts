// What the third of the seeds promises holds here. Its workflows have no ids in that list: what they do are scenarios of
// their own.
import { kavalScenarios } from '../../src/testing/scenarios/seeds-kaval.ts'
import { accept } from './acceptance.ts'

accept('Kaval', ['V1', 'V2', 'V3', 'V4', 'V5', 'V6', 'V7', 'V8', 'V9'], kavalScenarios)
