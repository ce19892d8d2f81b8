export { anthropic, type AnthropicOptions } from './dialect/anthropic.ts'
