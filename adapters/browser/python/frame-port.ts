// A Worker in a frame without origin: it has no cookies, no storage and no network, whatever runs in it.
import type { WorkerPort } from '../../../src/isolated/worker-message.ts'
import { trustedHtml } from '../trusted.ts'
import type { Parcel } from './parcel.ts'

export interface FrameOptions {
  readonly scriptUrl: string
  readonly parcel: () => Promise<Parcel>
}

/** What the frame may do, beside what the page may: run this script, and a Worker that it makes up itself. */
const policyOf = (scriptUrl: string): string => {
  const { origin, pathname } = new URL(scriptUrl)
  const script = (origin + pathname).replaceAll(';', '%3B').replaceAll(',', '%2C')
  return `default-src 'none'; script-src ${script} 'wasm-unsafe-eval'; worker-src blob:`
}

const quoted = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')

/** Starts it, and speaks with the Worker through a port of their own. Its end is that of the frame. */
export function framePort({ scriptUrl, parcel }: FrameOptions): WorkerPort {
  const work = new MessageChannel()
  const control = new MessageChannel()
  const errors = new Set<(error: unknown) => void>()
  const failed = (error: unknown): void => {
    for (const listener of errors) listener(error)
  }
  control.port1.addEventListener('message', failed)
  control.port1.start()
  const frame = document.createElement('iframe')
  frame.setAttribute('sandbox', 'allow-scripts')
  frame.hidden = true
  frame.srcdoc = trustedHtml(
    `<!doctype html><meta http-equiv="Content-Security-Policy" content="${quoted(policyOf(scriptUrl))}">` +
      `<script src="${quoted(scriptUrl)}"></script>`,
  )
  const isLoaded = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }))
  ;(document.body ?? document.documentElement).append(frame)
  // A frame without origin has no name that a message could be for.
  Promise.all([parcel(), isLoaded]).then(
    ([files]) => frame.contentWindow?.postMessage(files, '*', [work.port2, control.port2]),
    failed,
  )
  return {
    postMessage: (message, transfer) => work.port1.postMessage(message, transfer),
    onMessage: (listener) => {
      work.port1.addEventListener('message', ({ data }) => listener(data))
      work.port1.addEventListener('messageerror', failed)
      work.port1.start()
    },
    onError: (listener) => void errors.add(listener),
    terminate: () => {
      frame.remove()
      work.port1.close()
      control.port1.close()
    },
  }
}
