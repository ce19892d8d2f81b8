// Bytes as base64 text, as file parts and Basic authentication want them.
import { guarded } from '../error/guard.ts'

/** Standard alphabet, padded (RFC 4648 §4). */
export function base64(bytes: Uint8Array): string {
  let binary = ''
  // In pieces: a call takes no more than some ten thousand arguments.
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192))
  return btoa(binary)
}

/** The bytes of base64 text, or `undefined` where it is none. */
export function base64Bytes(text: string): Uint8Array | undefined {
  return guarded(() => Uint8Array.from(atob(text), (character) => character.charCodeAt(0)), undefined)
}
