// The keys of the page.
import type { VNode } from 'preact'
import { Dialog } from './dialog.tsx'

const keys: readonly (readonly [readonly string[], string])[] = [
  [['Enter'], 'Send the message'],
  [['Shift', 'Enter'], 'New line'],
  [['Esc'], 'Stop the run, or drop its question'],
  [['A'], 'Approve the open question'],
  [['E'], 'Edit its arguments'],
  [['D'], 'Deny it'],
  [['/'], 'Go to the message field'],
  [['N'], 'New session'],
  [['M'], 'Choose the model'],
  [['?'], 'This sheet'],
]

export function ShortcutSheet(): VNode {
  return (
    <Dialog title="Keyboard shortcuts">
      <dl class="shortcuts">
        {keys.map(([combination, words]) => (
          <div key={words}>
            <dt>
              {combination.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
