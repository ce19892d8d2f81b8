// CRC-32, which tells a line that was written whole from one that was not.

const table = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})

/** Eight hexadecimal digits. */
export function checksum(bytes: Uint8Array): string {
  let value = 0xffffffff
  for (const byte of bytes) value = (value >>> 8) ^ (table[(value ^ byte) & 255] ?? 0)
  return ((value ^ 0xffffffff) >>> 0).toString(16).padStart(8, '0')
}
