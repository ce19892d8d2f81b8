// The twelve environments: which program starts each, and how they share one start.

/** `group` environments are run by one start of their program. */
export const environments = [
  { name: 'node', label: 'Node', group: 'node' },
  { name: 'deno', label: 'Deno', group: 'deno' },
  { name: 'bun', label: 'Bun', group: 'bun' },
  { name: 'workerd', label: 'workerd, no Node globals', group: 'workerd' },
  { name: 'chromium-page', label: 'Chromium, page', group: 'chromium' },
  { name: 'chromium-worker', label: 'Chromium, Worker', group: 'chromium' },
  { name: 'chromium-service-worker', label: 'Chromium, service worker', group: 'chromium' },
  { name: 'chromium-extension', label: 'Chromium, extension page', group: 'chromium-extension' },
  { name: 'firefox-page', label: 'Firefox, page', group: 'firefox' },
  { name: 'firefox-worker', label: 'Firefox, Worker', group: 'firefox' },
  { name: 'webkit-page', label: 'WebKit, page', group: 'webkit' },
  { name: 'webkit-worker', label: 'WebKit, Worker', group: 'webkit' },
]

/** The place within a browser: `page`, `worker`, `service-worker`. */
export const placeOf = (name) => name.slice(name.indexOf('-') + 1)
