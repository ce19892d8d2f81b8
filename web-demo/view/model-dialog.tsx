// Which model answers: in this page or at the worker.
import type { VNode } from 'preact'
import { current } from '../state/app.ts'
import { worker } from '../state/worker.ts'
import { Dialog } from './dialog.tsx'
import { PageModelForm } from './page-model-form.tsx'
import { TokenField, WorkerModelForm } from './worker-model-form.tsx'

export function ModelDialog(): VNode {
  const isWorker = current.value?.place === 'worker'
  return (
    <Dialog title={isWorker ? 'Model at the worker' : 'Model'}>
      {isWorker ? <WorkerModelForm /> : <PageModelForm />}
      {!isWorker && worker.value.state === 'locked' && <TokenField />}
    </Dialog>
  )
}
