// A page: runs the suite in each place that the address asks for, and posts what came to the server.
const parameters = new URL(location.href).searchParams
const server = parameters.get('server') ?? location.origin
const state = document.getElementById('state')

const post = (place, body) =>
  fetch(`${server}/report?place=${place}`, { method: 'POST', body, headers: { 'content-type': 'text/plain' } })

const message = (error) => (error instanceof Error ? `${error.name}: ${error.message}\n${error.stack}` : String(error))

const failure = (error) => JSON.stringify({ failure: message(error) })

async function inPage() {
  const { report } = await import('./suite.js')
  return report()
}

/** Goes on with runs that were suspended elsewhere. */
async function arriving() {
  const [{ arrive }, { luggage }] = await Promise.all([import('./suite.js'), import('./luggage.js')])
  return arrive(luggage)
}

function inWorker() {
  return new Promise((resolve, reject) => {
    const worker = new Worker('worker.mjs', { type: 'module' })
    worker.onmessage = (event) => resolve(event.data)
    worker.onerror = (event) => reject(new Error(`Worker failed: ${event.message ?? 'its script cannot be loaded'}`))
  })
}

async function inServiceWorker() {
  const registration = await navigator.serviceWorker.register('service-worker.mjs', { type: 'module' })
  const worker = registration.installing ?? registration.waiting ?? registration.active
  if (worker.state !== 'activated') {
    await new Promise((resolve, reject) => {
      worker.onstatechange = () => {
        if (worker.state === 'activated') resolve()
        if (worker.state === 'redundant') reject(new Error('Service worker could not be installed'))
      }
    })
  }
  return new Promise((resolve) => {
    const channel = new MessageChannel()
    channel.port1.onmessage = (event) => resolve(event.data)
    worker.postMessage('run', [channel.port2])
  })
}

const places = {
  page: inPage,
  extension: inPage,
  arrive: arriving,
  worker: inWorker,
  'service-worker': inServiceWorker,
}

for (const place of parameters.get('places').split(',')) {
  state.textContent = `Running: ${place}`
  await post(place, await places[place]().catch(failure))
}
state.textContent = 'Done'
