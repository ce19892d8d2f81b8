// What the second of the seeds promises holds here. C7 to C9 (the other built-in tools, plans) come with what they need.
import { cognisScenarios } from '../../src/testing/scenarios/seeds-cognis.ts'
import { accept } from './acceptance.ts'

accept('Cognis', ['C1', 'C2', 'C3', 'C4', 'C5', 'C6', 'C10'], cognisScenarios)
