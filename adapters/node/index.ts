// `sameloop/node`: what an agent gets in Node and Bun.
export { node } from './preset.ts'
export type { Preset, PresetOptions } from '../virtual/environment.ts'
