// A service worker: runs the suite when asked and answers on the port it was given.
import { report } from './suite.js'

self.addEventListener('install', () => self.skipWaiting())
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))
self.addEventListener('message', (event) => {
  const port = event.ports[0]
  const answer = report().catch((error) => JSON.stringify({ failure: String(error) }))
  event.waitUntil(answer.then((text) => port.postMessage(text)))
})
