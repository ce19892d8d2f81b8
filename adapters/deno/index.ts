// `sameloop/deno`: what an agent gets in Deno.
export { deno } from './preset.ts'
export type { Preset, PresetOptions } from '../virtual/environment.ts'
