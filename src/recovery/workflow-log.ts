// How the log of a workflow's run is read: where it was is in records, and nothing of it in events.
import { applyNodeRecord } from '../workflow/log.ts'
import type { NodeRecord, WorkflowBody } from '../workflow/log.ts'
import type { Body, Folded } from './folded.ts'
import type { Kind } from './kind.ts'

const bodyOf = ({ body }: Folded): WorkflowBody => body as unknown as WorkflowBody

export const workflowLog: Kind = {
  note(run, { type, data }) {
    if (type === 'journal-node') {
      const record = data as unknown as NodeRecord
      run.body = applyNodeRecord(bodyOf(run), record) as unknown as Body
      if (record.what !== 'result') gotOn(run)
    } else if (type === 'node-end' && data['status'] === 'cancelled') {
      const { at } = bodyOf(run)
      run.body = { ...run.body, at: { ...at, isCut: true } }
    }
  },
  end: () => ({ isAnswered: false }),
}

/** What is over with the node. */
function gotOn(run: Folded): void {
  for (const known of [run.results, run.started, run.pending, run.decided, run.children]) known.clear()
  run.recoveries = 0
}
