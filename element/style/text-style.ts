// Style of what a model says: Markdown.

export const textStyle: string = `
.say { font-size: 15px; line-height: 1.6; min-width: 0; }
.md > * + *, .md blockquote > * + * { margin-top: 10px; }
.growing > .md > :last-child::after { content: ''; display: inline-block; width: 7px; height: 1em; margin-left: 2px; background: var(--accent); border-radius: 1px; vertical-align: -2px; animation: blink 1.1s steps(2, jump-none) infinite; }
@keyframes blink { to { opacity: .15; } }
.md :is(h3, h4, h5, h6) { font-size: 15px; font-weight: 640; line-height: 1.4; }
.md > * + :is(h3, h4, h5, h6) { margin-top: 16px; }
.md [data-level='1'] { font-size: 18px; letter-spacing: -.01em; }
.md [data-level='2'] { font-size: 16px; }
.md :is(ul, ol) { padding-left: 22px; }
.md li + li { margin-top: 3px; }
.md ul { list-style: disc; }
.md ol { list-style: decimal; }
.md li::marker { color: var(--ink-3); }
.md li > :is(ul, ol, p, pre, blockquote) { margin-top: 3px; }
.md li.task { list-style: none; margin-left: -20px; }
.md input { margin: 0 6px 0 0; vertical-align: -1px; accent-color: var(--accent); }
.md code { font: 13px var(--mono); background: var(--sunken); border: 1px solid var(--line); padding: 0 4px; border-radius: 4px; overflow-wrap: anywhere; }
.md pre { background: var(--sunken); border: 1px solid var(--line); border-radius: 8px; padding: 10px 12px; max-height: 32em; }
.md pre code { border: 0; padding: 0; background: none; font: inherit; overflow-wrap: normal; }
.md blockquote { border-left: 3px solid var(--line-strong); padding-left: 12px; color: var(--ink-2); }
.md hr { border: 0; border-top: 1px solid var(--line); margin: 14px 0; }
.md .table { overflow: auto; border: 1px solid var(--line); border-radius: 8px; }
.md table { border-collapse: collapse; width: 100%; font-size: 13.5px; }
.md :is(th, td) { padding: 6px 12px; text-align: left; border-bottom: 1px solid var(--line); vertical-align: top; }
.md tr:last-child > td { border-bottom: 0; }
.md th { font-weight: 600; background: var(--sunken); }
.md [data-align='right'] { text-align: right; font-variant-numeric: tabular-nums; }
.md [data-align='center'] { text-align: center; }
a { color: var(--accent); text-decoration: underline; text-underline-offset: 2px; text-decoration-thickness: 1px; }`
