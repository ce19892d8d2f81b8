// The globals of the thread that runs Python, taken away before a program: a second line, behind a thread that has nothing.

/** What Python's engine and our own code use when it runs. */
const kept = new Set([
  'AbortController',
  'AbortSignal',
  'DOMException',
  'Event',
  'EventTarget',
  'Headers',
  'Request',
  'Response',
  'TextDecoder',
  'TextEncoder',
  'URL',
  'WebAssembly',
  'clearImmediate',
  'clearInterval',
  'clearTimeout',
  'console',
  'crypto',
  'performance',
  'process',
  'queueMicrotask',
  'setImmediate',
  'setInterval',
  'setTimeout',
])

const language = new Set(
  (
    'globalThis Infinity NaN undefined isFinite isNaN parseFloat parseInt decodeURI decodeURIComponent encodeURI ' +
    'encodeURIComponent escape unescape AggregateError Array ArrayBuffer BigInt BigInt64Array BigUint64Array Boolean ' +
    'DataView Date Error EvalError FinalizationRegistry Float16Array Float32Array Float64Array Function Int8Array ' +
    'Int16Array Int32Array Iterator Map Number Object Promise Proxy RangeError ReferenceError RegExp Set String ' +
    'SuppressedError Symbol SyntaxError TypeError Uint8Array Uint8ClampedArray Uint16Array Uint32Array URIError WeakMap ' +
    'WeakRef WeakSet Atomics JSON Math Reflect Intl'
  ).split(' '),
)

/** Takes every global away but those of the language, and a few that hold nothing. */
export function disarm(): void {
  // Ports are event targets, too, and go on being some.
  const shared: unknown[] = [null, Object.prototype, EventTarget.prototype]
  for (let place: object = globalThis; !shared.includes(place); place = Object.getPrototypeOf(place) as object)
    for (const name of Object.getOwnPropertyNames(place))
      if (name !== 'constructor' && !kept.has(name) && !language.has(name)) takeAway(place, name)
}

function takeAway(place: object, name: string): void {
  const given = Object.getOwnPropertyDescriptor(place, name)
  if (given?.configurable === true)
    Object.defineProperty(place, name, { value: undefined, writable: false, configurable: false })
  else if (given?.writable === true) Object.assign(place, { [name]: undefined })
}
