// Exact decimal numbers, with the rules of `bc` for how many digits a result keeps.

/** `units` × 10^-`scale`. */
export interface Decimal {
  readonly units: bigint
  /** Digits behind the point. */
  readonly scale: number
}

/** What cannot be calculated; the words are for whoever asked. */
export class CalculationError extends Error {}

/** The most digits of a number. */
export const maxDigits = 10_000
const largest = 10n ** BigInt(maxDigits)
/** Digits of what is calculated before it is cut. */
const mostUnits = 3 * maxDigits

const tenTo = (scale: number): bigint => 10n ** BigInt(scale)

export function decimal(units: bigint, scale = 0): Decimal {
  if (units >= largest || units <= -largest || scale > maxDigits)
    throw new CalculationError(`a number may have at most ${maxDigits} digits`)
  return { units, scale }
}

/** Cuts or fills up what is behind the point; nothing is rounded. */
function scaled({ units, scale }: Decimal, wanted: number): bigint {
  if (wanted >= scale) return units * tenTo(wanted - scale)
  // No number has so many digits, so none is left.
  return scale - wanted > mostUnits ? 0n : units / tenTo(scale - wanted)
}

export const atScale = (value: Decimal, scale: number): Decimal => decimal(scaled(value, scale), scale)

export function add(left: Decimal, right: Decimal): Decimal {
  const scale = Math.max(left.scale, right.scale)
  return decimal(scaled(left, scale) + scaled(right, scale), scale)
}

export const negate = ({ units, scale }: Decimal): Decimal => ({ units: -units, scale })

/** Below 0, 0, or above: how the first stands to the second. */
export const compare = (left: Decimal, right: Decimal): number => sign(add(left, negate(right)).units)

/** What working with it costs: 1, and the square of how long it is. */
export const costOf = ({ units }: Decimal): number => 1 + (units.toString(16).length / 100) ** 2

const sign = (units: bigint): number => Number(units > 0n) - Number(units < 0n)

export function multiply(left: Decimal, right: Decimal, scale: number): Decimal {
  const kept = Math.min(left.scale + right.scale, Math.max(scale, left.scale, right.scale))
  return atScale({ units: left.units * right.units, scale: left.scale + right.scale }, kept)
}

export function divide(left: Decimal, right: Decimal, scale: number): Decimal {
  if (right.units === 0n) throw new CalculationError('divide by zero')
  return decimal((left.units * tenTo(scale + right.scale)) / (right.units * tenTo(left.scale)), scale)
}

export function remainder(left: Decimal, right: Decimal, scale: number): Decimal {
  const quotient = divide(left, right, scale)
  const wanted = Math.max(scale + right.scale, left.scale)
  const product = { units: quotient.units * right.units, scale: quotient.scale + right.scale }
  return atScale(add(left, negate(product)), wanted)
}

export function power(base: Decimal, exponent: Decimal, scale: number): Decimal {
  const times = scaled(exponent, 0)
  const steps = times < 0n ? -times : times
  const digits = base.units.toString().length - (base.units < 0n ? 1 : 0)
  const isUnit = base.units === 0n || (digits === 1 && base.scale === 0 && (base.units === 1n || base.units === -1n))
  if (!isUnit && steps * BigInt(digits) > BigInt(2 * maxDigits))
    throw new CalculationError(`a number may have at most ${maxDigits} digits`)
  // Of zero and one only the sign counts, however large the exponent is.
  const whole = isUnit
    ? decimal(unitPower(base.units, steps))
    : { units: base.units ** steps, scale: base.scale * Number(steps) }
  if (times < 0n) {
    if (whole.scale > mostUnits) throw new CalculationError(`a number may have at most ${maxDigits} digits`)
    return divide(decimal(1n), whole, scale)
  }
  return atScale(whole, Math.min(base.scale * Number(steps < 1000n ? steps : 1000n), Math.max(scale, base.scale)))
}

const unitPower = (units: bigint, steps: bigint): bigint => {
  if (steps === 0n) return 1n
  return units === -1n && steps % 2n === 0n ? 1n : units
}

export function squareRoot(value: Decimal, scale: number): Decimal {
  if (value.units < 0n) throw new CalculationError('square root of a negative number')
  const wanted = Math.max(scale, value.scale)
  const target = scaled(value, 2 * wanted)
  if (target === 0n) return decimal(0n, wanted)
  // Newton's way down, from above.
  let root = tenTo(Math.ceil(target.toString().length / 2))
  for (let next = (root + target / root) / 2n; next < root; next = (root + target / root) / 2n) root = next
  return decimal(root, wanted)
}

/** As `bc` prints: no zero before the point. */
export function decimalText({ units, scale }: Decimal): string {
  const minus = units < 0n ? '-' : ''
  const digits = (units < 0n ? -units : units).toString().padStart(scale, '0')
  if (scale === 0) return minus + digits
  const [whole, rest] = [digits.slice(0, digits.length - scale), digits.slice(digits.length - scale)]
  // Zero is one digit, however many there are behind its point.
  return units === 0n ? '0' : `${minus}${whole === '0' ? '' : whole}.${rest}`
}
