// What RFC 9110 §9.2 says of methods, for recovery after a crash.

const effects = { GET: 'read', HEAD: 'read', PUT: 'idempotent', DELETE: 'idempotent' } as const

/** The effect of a request with this method, in capitals. */
export const effectOf = (method: string): 'read' | 'idempotent' | 'unsafe' =>
  Object.hasOwn(effects, method) ? effects[method as keyof typeof effects] : 'unsafe'
