// `sameloop/browser`: what an agent gets in a web page and its Workers.
export { browser } from './preset.ts'
export type { Preset, PresetOptions } from '../virtual/environment.ts'
