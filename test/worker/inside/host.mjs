// Runs one bundled worker in workerd until it is ended. Takes its options as JSON in the first argument and prints the
// address as one line of JSON.
import { dirname } from 'node:path'
import { Miniflare } from 'miniflare'

const { script, classes, bindings = {}, persist, port = 0 } = JSON.parse(process.argv[2])
const miniflare = new Miniflare({
  modules: true,
  scriptPath: script,
  modulesRoot: dirname(script),
  host: '127.0.0.1',
  port,
  compatibilityDate: '2026-04-01',
  compatibilityFlags: ['no_nodejs_compat', 'no_nodejs_compat_v2'],
  cf: false,
  bindings,
  durableObjects: Object.fromEntries(
    Object.entries(classes).map(([binding, className]) => [binding, { className, useSQLite: true }]),
  ),
  durableObjectsPersist: persist,
})
const url = await miniflare.ready
console.log(JSON.stringify({ url: url.href }))
