// SHA-256 and HMAC without Web Crypto: synchronous, so that a digest never costs a virtual clock a real wait.

const roundConstants = /* @__PURE__ */ fractions(64, 1 / 3)
const initialState = /* @__PURE__ */ fractions(8, 1 / 2)

/** The first 32 bits of the fractional parts of the given root of the first `count` primes. */
function fractions(count: number, power: number): Uint32Array {
  const words = new Uint32Array(count)
  for (let candidate = 2, found = 0; found < count; candidate++) {
    if (!isPrime(candidate)) continue
    const root = candidate ** power
    words[found++] = (root - Math.floor(root)) * 2 ** 32
  }
  return words
}

function isPrime(candidate: number): boolean {
  for (let divisor = 2; divisor * divisor <= candidate; divisor++) if (candidate % divisor === 0) return false
  return true
}

const rotate = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits))

/** The message with a one bit, zeros and its length in bits, a multiple of 64 bytes long. */
function padded(data: Uint8Array): DataView {
  const bytes = new Uint8Array((((data.length + 8) >> 6) + 1) << 6)
  bytes.set(data)
  bytes[data.length] = 0x80
  const view = new DataView(bytes.buffer)
  view.setUint32(bytes.length - 8, Math.floor(data.length / 2 ** 29))
  view.setUint32(bytes.length - 4, data.length << 3)
  return view
}

function expand(view: DataView, offset: number, words: Int32Array): void {
  for (let i = 0; i < 16; i++) words[i] = view.getInt32(offset + i * 4)
  for (let i = 16; i < 64; i++) {
    const early = words[i - 15]!
    const late = words[i - 2]!
    const small0 = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3)
    const small1 = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10)
    words[i] = words[i - 16]! + small0 + words[i - 7]! + small1
  }
}

export function sha256(data: Uint8Array): Uint8Array {
  const view = padded(data)
  const words = new Int32Array(64)
  const state = Int32Array.from(initialState)
  for (let offset = 0; offset < view.byteLength; offset += 64) {
    expand(view, offset, words)
    let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number]
    for (let i = 0; i < 64; i++) {
      const choice = (e & f) ^ (~e & g)
      const majority = (a & b) ^ (a & c) ^ (b & c)
      const one = (h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + choice + roundConstants[i]! + words[i]!) | 0
      const two = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority) | 0
      h = g
      g = f
      f = e
      e = (d + one) | 0
      d = c
      c = b
      b = a
      a = (one + two) | 0
    }
    ;[a, b, c, d, e, f, g, h].forEach((word, i) => (state[i] = state[i]! + word))
  }
  const out = new DataView(new ArrayBuffer(32))
  state.forEach((word, i) => out.setInt32(i * 4, word))
  return new Uint8Array(out.buffer)
}

export function hmacSha256(key: Uint8Array, data: Uint8Array): Uint8Array {
  const block = new Uint8Array(64)
  block.set(key.length > 64 ? sha256(key) : key)
  const inner = new Uint8Array(64 + data.length)
  inner.set(block.map((byte) => byte ^ 0x36))
  inner.set(data, 64)
  const outer = new Uint8Array(96)
  outer.set(block.map((byte) => byte ^ 0x5c))
  outer.set(sha256(inner), 64)
  return sha256(outer)
}
