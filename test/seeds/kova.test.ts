// What the first of the seeds promises holds here.
import { kovaScenarios } from '../../src/testing/scenarios/seeds-kova.ts'
import { accept } from './acceptance.ts'

accept('Kova', ['K1', 'K2', 'K3', 'K4', 'K5', 'K6', 'K7', 'K8', 'K9'], kovaScenarios)
