// A Worker: runs the suite and posts the report, or why there is none, to its page. The import is dynamic because WebKit
// tells a page nothing about a module Worker that throws while it loads.
try {
  const { report } = await import('./suite.js')
  postMessage(await report())
} catch (error) {
  postMessage(JSON.stringify({ failure: `${error.name}: ${error.message}\n${error.stack}` }))
}
