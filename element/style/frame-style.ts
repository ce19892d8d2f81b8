// Style of the chat's frame: the column of messages, the composer, what stands between.

export const frameStyle: string = `
:host { display: block; min-height: 0; background: var(--bg); color: var(--ink); font: 400 14px/1.55 var(--sans); overflow-wrap: break-word; }
:host([hidden]) { display: none; }
* { box-sizing: border-box; scrollbar-color: var(--line-strong) transparent; scrollbar-width: thin; }
button, input, textarea { font: inherit; color: inherit; }
button { cursor: pointer; }
button:disabled { cursor: default; opacity: .55; }
p, h2, h3, h4, h5, h6, ol, ul, dl, dd, pre, blockquote { margin: 0; padding: 0; }
ol, ul { list-style: none; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.icon { width: 1em; height: 1em; flex: none; }
.gap { flex: 1; }
.quiet { color: var(--ink-2); }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
kbd { font: 500 11px/1.5 var(--mono); padding: 0 5px; border: 1px solid var(--line-strong); border-bottom-width: 2px; border-radius: 4px; color: var(--ink-2); background: var(--panel); }

.chat { position: relative; display: grid; grid-template: minmax(0, 1fr) 0 auto / minmax(0, 1fr); height: 100%; }
.between { position: relative; z-index: 1; }
.scroll { overflow: hidden auto; padding: 24px 24px 32px; overscroll-behavior: contain; scrollbar-gutter: stable both-edges; }

.scroll:focus-visible { outline-offset: -3px; }
/* Blocks, not grids: of a long answer that grows, only its end is laid out anew. */
.column { max-width: 720px; margin: 0 auto; min-height: 100%; }
.entry + .entry { margin-top: 12px; }
.entry + .entry.user { margin-top: 28px; }
.entry.user { display: flex; justify-content: flex-end; }
.bubble { max-width: 82%; background: var(--accent-soft); padding: 8px 14px; border-radius: 14px 14px 4px; white-space: pre-wrap; }
.by-line { display: flex; align-items: center; gap: 8px; font-size: 12px; color: var(--ink-3); }
.entry.by + .entry { margin-top: 8px; }
.by-line b { font-weight: 600; color: var(--ink-2); }
.badge { font-size: 11px; font-weight: 600; color: var(--warn); background: var(--warn-soft); padding: 1px 8px; border-radius: 99px; }
.working { display: flex; align-items: center; gap: 8px; color: var(--ink-3); font-size: 13px; }
.spinner, .mark.busy { width: 16px; height: 16px; border-radius: 50%; border: 2px solid var(--line-strong); border-top-color: var(--accent); animation: turn .8s linear infinite; flex: none; }
@keyframes turn { to { transform: rotate(1turn); } }
.notice, .end, .source { display: flex; align-items: center; gap: 8px; font-size: 13px; color: var(--ink-2); }
.notice .icon { color: var(--warn); }
.end { justify-content: center; padding: 4px 0; color: var(--ink-3); flex-wrap: wrap; }
.image { max-width: 100%; border-radius: 10px; border: 1px solid var(--line); }

/* As wide as the column above, whose scrollbar takes room on both sides. */
.foot { padding: 12px 24px 16px; margin-top: -12px; overflow: hidden; scrollbar-gutter: stable both-edges; }
.latest { position: absolute; left: 50%; bottom: 12px; white-space: nowrap; transform: translateX(-50%); display: flex; align-items: center; gap: 6px; padding: 5px 14px; border: 1px solid var(--line-strong); border-radius: 99px; background: var(--panel); box-shadow: 0 4px 16px var(--shade); font-size: 13px; }
.lost { max-width: 720px; margin: 0 auto 8px; padding: 6px 12px; border-radius: 8px; background: var(--warn-soft); color: var(--warn); font-size: 13px; }
.composer { max-width: 720px; margin: 0 auto; border: 1px solid var(--line-strong); border-radius: 14px; background: var(--panel); box-shadow: 0 1px 2px var(--shade), 0 6px 24px var(--shade); padding: 10px 10px 8px 14px; transition: border-color .12s; }
.composer:focus-within { border-color: var(--accent); }
.composer textarea { display: block; width: 100%; border: 0; outline: 0; background: none; resize: none; padding: 2px 0; font-size: 15px; line-height: 1.5; }
.composer textarea::placeholder { color: var(--ink-3); opacity: 1; }
.composer .row { display: flex; align-items: center; gap: 8px; color: var(--ink-3); font-size: 12px; min-height: 32px; white-space: nowrap; }
.composer :is(.note, .hint) { overflow: hidden; text-overflow: ellipsis; }
@media (pointer: coarse) { .composer .hint { display: none; } }
.round { width: 32px; height: 32px; border-radius: 50%; border: 0; display: grid; place-items: center; font-size: 17px; flex: none; }
.round.send { background: var(--accent); color: var(--on-accent); }
.round.send:disabled { background: var(--hover); color: var(--ink-3); opacity: 1; }
.round.stop { background: var(--ink); color: var(--bg); }
.round.stop .icon { fill: currentColor; width: 15px; height: 15px; }

.empty { align-self: center; padding: 16px 0; }
.column:has(> .empty) { display: grid; align-content: center; }
.empty h2 { font-size: 22px; font-weight: 620; letter-spacing: -.015em; line-height: 1.3; }
.empty > p { margin-top: 4px; color: var(--ink-2); max-width: 56ch; }
.examples { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(260px, 100%), 1fr)); gap: 10px; margin-top: 20px; }
.examples li { display: grid; }
.examples button { text-align: left; padding: 10px 14px 12px; border: 1px solid var(--line); border-radius: 10px; background: var(--panel); display: grid; align-content: start; gap: 4px; transition: border-color .12s, background .12s; }
.examples button:hover { border-color: var(--line-strong); background: var(--hover); }
.examples .caption { display: flex; align-items: center; gap: 6px; font-size: 12px; color: var(--ink-3); }
.examples .caption .icon { font-size: 14px; color: var(--accent); }

@media (max-width: 520px) {
  .scroll { padding: 16px 16px 24px; scrollbar-gutter: auto; }
  .foot { padding: 12px; scrollbar-gutter: auto; }
  .bubble { max-width: 90%; }
  .composer textarea { font-size: 16px; }
}
@media (prefers-reduced-motion: reduce) {
  *, *::before, *::after { animation-duration: 0s !important; transition: none !important; }
  .spinner, .mark.busy { animation: none; border-style: dotted; }
}`
