// Bytes as base64 text, as file parts and Basic authentication want them.

/** Standard alphabet, padded (RFC 4648 §4). */
export function base64(bytes: Uint8Array): string {
  let binary = ''
  // In pieces: a call takes no more than some ten thousand arguments.
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192))
  return btoa(binary)
}
