// Where something is inside a JSON value.

/** The JSON Pointer (RFC 6901) of a path; empty for the whole value. */
export function toPointer(path: readonly (string | number)[]): string {
  return path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}
