// `sameloop/drawing`: pictures of plans, workflows and finished runs.
export { toMermaid } from './drawing/mermaid.ts'
export { toSvg } from './drawing/svg.ts'
export { waterfall } from './drawing/waterfall.ts'
export { waterfallSvg } from './drawing/waterfall-svg.ts'
export type { Drawable, DrawnResult, DrawingOptions } from './drawing/graph.ts'
export type { Span, SpanKind, Waterfall } from './drawing/waterfall.ts'
export type { WaterfallOptions } from './drawing/waterfall-svg.ts'
