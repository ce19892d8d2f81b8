// Calling what may throw where a throw means no more than another answer.

/** What `make` gives, or `otherwise` where it throws. */
export function guarded<Value>(make: () => Value, otherwise: Value): Value {
  try {
    return make()
  } catch {
    return otherwise
  }
}
