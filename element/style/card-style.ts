// Style of the cards: tool calls, questions, errors, and what stands in them.

/** A shadow at an edge of a box says that there is more; at the end, text's own ground covers it. */
const scrolled = (selector: string, ground: string): string => `${selector} { background:
  linear-gradient(var(--${ground}) 30%, transparent) top / 100% 24px no-repeat local,
  linear-gradient(transparent, var(--${ground}) 70%) bottom / 100% 24px no-repeat local,
  linear-gradient(var(--line-strong), transparent) top / 100% 6px no-repeat,
  linear-gradient(transparent, var(--line-strong)) bottom / 100% 6px no-repeat,
  var(--${ground}); }`

export const cardStyle: string = `
.card { border: 1px solid var(--line); border-radius: 10px; background: var(--panel); overflow: clip; min-width: 0; }
.card.tool > summary { list-style: none; cursor: pointer; user-select: none; }
.card.tool > summary::-webkit-details-marker { display: none; }
.card.tool > summary:hover { background: var(--hover); }
.card.tool > summary:focus-visible { outline-offset: -2px; border-radius: 10px; }
.card .top { display: flex; align-items: center; gap: 8px; padding: 7px 12px; min-height: 36px; font-size: 13px; }
.card .name { font: 600 13px/1.5 var(--mono); min-width: 4ch; overflow-wrap: anywhere; }
.hidden { font: 600 .85em var(--mono); color: var(--warn); background: var(--warn-soft); border-radius: 3px; padding: 0 2px; white-space: nowrap; }
.card .line { color: var(--ink-3); font: 12.5px/1.5 var(--mono); white-space: nowrap; overflow: hidden; text-overflow: ellipsis; flex: 1; min-width: 0; }
.card .state { color: var(--ink-3); font-size: 12px; font-variant-numeric: tabular-nums; flex: none; }
.card[data-state='failed'] .state { color: var(--ink-2); }
.card.tool > summary > .icon { color: var(--ink-3); font-size: 14px; transition: transform .12s; }
.card.tool[open] > summary > .icon { transform: rotate(90deg); }
.mark { width: 16px; height: 16px; border-radius: 50%; display: grid; place-items: center; font-size: 12px; flex: none; }
.mark .icon { stroke-width: 3; }
.mark.ok { background: var(--ok-soft); color: var(--ok); }
.mark.bad { background: var(--bad-soft); color: var(--bad); }
.mark.ask { background: var(--warn-soft); color: var(--warn); }
.mark.calm { background: var(--hover); color: var(--ink-2); }

.body { border-top: 1px solid var(--line); }
.part { padding: 8px 12px 10px; display: grid; gap: 6px; font-size: 13px; }
.part + .part, .diff + .part { border-top: 1px solid var(--line); }
.part.flush { padding: 0; }
.part > header { display: flex; align-items: baseline; }
.part h4 { font-size: 11px; font-weight: 600; letter-spacing: .04em; color: var(--ink-3); }
.decision { color: var(--ink-2); }
.link { border: 0; background: none; padding: 2px 4px; margin: -2px -4px; border-radius: 4px; font-size: 12px; color: var(--accent); justify-self: start; }
.link:hover { text-decoration: underline; }
.pairs { display: grid; gap: 4px; }
.pairs > div { display: grid; grid-template-columns: minmax(64px, max-content) minmax(0, 1fr); gap: 12px; align-items: baseline; }
.pairs dt { color: var(--ink-3); font: 12.5px/1.5 var(--mono); }
${scrolled('.pairs dd', 'panel')}
${scrolled('.out, .json', 'sunken')}
.pairs dd { font: 12.5px/1.55 var(--mono); white-space: pre-wrap; overflow-wrap: anywhere; max-height: 14em; overflow: auto; }
pre { font: 12.5px/1.55 var(--mono); overflow: auto; tab-size: 4; }
.out, .json { border-radius: 6px; padding: 8px 10px; max-height: 28em; white-space: pre-wrap; overflow-wrap: anywhere; }
.json i { font-style: normal; }
.json .key { color: var(--accent); }
.json .string { color: var(--ok); }
.json .number { color: var(--warn); }

.diff { font: 12.5px/1.6 var(--mono); background: var(--sunken); padding: 6px 0; overflow: auto; max-height: 26em; border-top: 1px solid var(--line); }
.body .flush .diff { border-top: 0; }
/* Lines are broken: what goes on beyond the edge would not be seen. */
.diff > div { display: flex; padding-right: 12px; }
.diff .code, .diff .rest { flex: 1; min-width: 0; white-space: break-spaces; overflow-wrap: anywhere; font: inherit; }
.diff .rest { padding: 0 12px 0 40px; }
.diff .n { width: 40px; padding-right: 10px; text-align: right; color: var(--ink-3); flex: none; user-select: none; }
.diff .sign { width: 16px; flex: none; color: var(--ink-3); }
.diff .add { background: var(--ok-soft); } .diff .add .sign { color: var(--ok); }
.diff .remove { background: var(--bad-soft); } .diff .remove .sign { color: var(--bad); }
.diff :is(.gap, .note) { color: var(--ink-3); }
.diff-foot { display: flex; flex-wrap: wrap; gap: 4px 12px; padding: 5px 12px; font-size: 12.5px; color: var(--ink-3); border-top: 1px solid var(--line); }
.diff-foot.short { color: var(--warn); background: var(--warn-soft); font-weight: 550; }

.ask { border-color: color-mix(in oklch, var(--warn) 45%, var(--line)); box-shadow: 0 0 0 3px var(--warn-soft); }
.ask:focus-visible { outline-color: var(--warn); outline-offset: -1px; }
.ask .why { padding: 0 12px 10px; display: grid; gap: 2px; font-size: 13px; }
.ask .summary { font-size: 14px; font-weight: 550; white-space: pre-wrap; overflow-wrap: anywhere; max-height: 14em; overflow: auto; }
.scroll:not([data-calm]) kbd { opacity: .45; }
.ask > .part { border-top: 1px solid var(--line); }
.ask > .fold { display: block; padding: 7px 12px; }
.effect { font-size: 12px; color: var(--ink-2); flex: none; }
.actions { display: flex; flex-wrap: wrap; align-items: center; gap: 8px; padding: 10px 12px; border-top: 1px solid var(--line); }
.answer > .field { display: block; width: calc(100% - 24px); margin: 10px 12px; }
.field { border: 1px solid var(--line-strong); border-radius: 6px; background: var(--bg); padding: 7px 10px; resize: vertical; }
.field::placeholder { color: var(--ink-3); opacity: 1; }
.field:focus-visible { outline-offset: -1px; }
.field.code { font: 12.5px/1.55 var(--mono); }
.field[aria-invalid='true'] { border-color: var(--bad); }
.refused { padding: 0 12px 10px; color: var(--bad); font-size: 13px; }
.answer > .refused { margin-top: -4px; }

.button { display: inline-flex; align-items: center; gap: 7px; border: 1px solid var(--line-strong); background: var(--panel); border-radius: 7px; padding: 5px 12px; font-size: 13.5px; font-weight: 550; line-height: 1.5; }
.button:hover:not(:disabled) { background: var(--hover); }
.button.main { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
.button.main:hover:not(:disabled) { background: color-mix(in oklch, var(--accent) 88%, var(--ink)); }
.button.main kbd { background: transparent; color: inherit; border-color: color-mix(in oklch, var(--on-accent) 50%, transparent); }
.button.no { color: var(--bad); }
.button.ghost { border-color: transparent; background: none; font-weight: 450; color: var(--ink-2); padding: 5px 8px; }
.button.small { font-size: 13px; padding: 3px 10px; justify-self: start; }

.card.bad { border-color: color-mix(in oklch, var(--bad) 35%, var(--line)); }
.card.bad .code { margin-left: auto; font: 12px var(--mono); color: var(--ink-3); }
.inside { padding: 0 12px 12px 36px; display: grid; gap: 4px; font-size: 13px; }
.inside .button { margin-top: 6px; }
.fold { font-size: 13px; color: var(--ink-2); }
.fold > summary { list-style: none; cursor: pointer; display: inline-flex; align-items: center; gap: 6px; color: var(--ink-3); border-radius: 4px; }
.fold > summary::-webkit-details-marker { display: none; }
.fold[open] > summary > .icon { transform: rotate(90deg); }
.fold > p { white-space: pre-wrap; margin-top: 6px; padding-left: 12px; border-left: 2px solid var(--line); }
.fold .time { font-variant-numeric: tabular-nums; }
@media (pointer: coarse) {
  .card .top { min-height: 44px; }
  .button { min-height: 40px; }
  kbd { display: none; }
}`
