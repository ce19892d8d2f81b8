// Deep equality of JSON values, ending at the first difference.

/** Whether two JSON values are the same; keys in any order. */
export function sameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false
  if (Array.isArray(left)) {
    if (!Array.isArray(right) || left.length !== right.length) return false
    return left.every((item, index) => sameJson(item, right[index]))
  }
  const keys = Object.keys(left)
  if (Array.isArray(right) || keys.length !== Object.keys(right).length) return false
  for (const key of keys) {
    if (!Object.hasOwn(right, key)) return false
    if (!sameJson((left as Record<string, unknown>)[key], (right as Record<string, unknown>)[key])) return false
  }
  return true
}
