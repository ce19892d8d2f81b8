// Which addresses are on the open internet. Everything the IANA special-purpose registries list, and everything not
// handed out for global use, is not (iana-ipv4-special-registry, iana-ipv6-special-registry).

/** Where an address or a name leads, as far as its text tells. */
export type AddressKind = 'public' | 'name' | 'invalid' | (string & {})

/** The first bytes of an IPv4 block, or the first groups of an IPv6 block, and how many bits of them count. */
type Block = readonly [start: readonly number[], bits: number, kind: string]

const blocks4: readonly Block[] = [
  [[0], 8, 'this network'],
  [[10], 8, 'private'],
  [[100, 64], 10, 'shared address space'],
  [[127], 8, 'loopback'],
  [[169, 254], 16, 'link-local'],
  [[172, 16], 12, 'private'],
  [[192, 0, 0], 24, 'protocol assignments'],
  [[192, 0, 2], 24, 'documentation'],
  [[192, 31, 196], 24, 'AS112'],
  [[192, 52, 193], 24, 'AMT'],
  [[192, 88, 99], 24, '6to4 relay'],
  [[192, 168], 16, 'private'],
  [[192, 175, 48], 24, 'AS112'],
  [[198, 18], 15, 'benchmarking'],
  [[198, 51, 100], 24, 'documentation'],
  [[203, 0, 113], 24, 'documentation'],
  // Not in the registry: the host's own service on one cloud.
  [[168, 63, 129, 16], 32, 'cloud metadata'],
  [[224], 4, 'multicast'],
  [[240], 4, 'reserved'],
]

/** Inside 2000::/3; all else but the forms that carry an IPv4 address is not global. */
const blocks6: readonly Block[] = [
  [[0x2001], 23, 'protocol assignments'],
  [[0x2001, 0xdb8], 32, 'documentation'],
  [[0x2002], 16, '6to4'],
  [[0x2620, 0x4f, 0x8000], 48, 'AS112'],
  [[0x3fff], 20, 'documentation'],
]

/** Names of these only ever lead to the machine itself or its network (special-use domain names, and common habits). */
const localEndings = [
  'localhost',
  'local',
  'localdomain',
  'internal',
  'intranet',
  'private',
  'corp',
  'home',
  'lan',
  'home.arpa',
  'test',
  'invalid',
  'onion',
]

/**
 * The kind of a host as a URL spells it, brackets and a trailing dot included: `public` for a global address, `name` for
 * a name that may be public (only its resolver knows), `invalid` for none of these, else why it is not public.
 */
export function addressKind(host: string): AddressKind {
  const bare = host.replace(/^\[/, '').replace(/\]$/, '').replace(/\.$/, '').toLowerCase()
  if (bare.includes(':')) return kindOf6(bare)
  const four = parse4(bare)
  if (four !== undefined) return kindOf4(four)
  const labels = bare.split('.')
  if (labels.some((label) => label === '') || /^(?:\d+|0x[\da-f]*)$/.test(labels.at(-1)!)) return 'invalid'
  if (labels.length === 1 || localEndings.some((ending) => bare === ending || bare.endsWith(`.${ending}`)))
    return 'local name'
  return 'name'
}

/** Whether an address, for example one a resolver gave, is on the open internet. A name is not an address. */
export function isPublicAddress(address: string): boolean {
  return addressKind(address) === 'public'
}

function parse4(text: string): readonly number[] | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)
  const bytes = match?.slice(1).map(Number)
  return bytes?.every((byte) => byte <= 255) ? bytes : undefined
}

const kindOf4 = (bytes: readonly number[]): AddressKind => kindIn(blocks4, bytes, 8)

/** `width` is the number of bits in each part of the address. */
function kindIn(blocks: readonly Block[], parts: readonly number[], width: 8 | 16): AddressKind {
  return blocks.find(([start, bits]) => samePrefix(parts, start, { bits, width }))?.[2] ?? 'public'
}

const hexPair = (high: number, low: number): string => (256 * high + low).toString(16)

/** The eight groups of an IPv6 address. A zone ("%eth0") makes it none. */
function parse6(text: string): readonly number[] | undefined {
  const lastColon = text.lastIndexOf(':')
  const tail = parse4(text.slice(lastColon + 1))
  const whole =
    tail === undefined
      ? text
      : `${text.slice(0, lastColon + 1)}${hexPair(tail[0]!, tail[1]!)}:${hexPair(tail[2]!, tail[3]!)}`
  const halves = whole.split('::')
  if (halves.length > 2) return undefined
  const [head, end] = halves.map((half) => (half === '' ? [] : half.split(':')))
  const missing = 8 - head!.length - (end?.length ?? 0)
  if (end === undefined ? missing !== 0 : missing < 1) return undefined
  const groups = [...head!, ...Array.from({ length: end === undefined ? 0 : missing }, () => '0'), ...(end ?? [])]
  return groups.every((group) => /^[\da-f]{1,4}$/.test(group))
    ? groups.map((group) => Number.parseInt(group, 16))
    : undefined
}

function kindOf6(text: string): AddressKind {
  const groups = parse6(text)
  if (groups === undefined) return 'invalid'
  const [first, low, last] = [groups[0]!, groups[6]!, groups[7]!]
  const starts = (...wanted: number[]): boolean => wanted.every((group, index) => groups[index] === group)
  // What these reach is the IPv4 address inside: mapped, and NAT64 as DNS64 makes it.
  if (starts(0, 0, 0, 0, 0, 0xffff) || starts(0x64, 0xff9b, 0, 0, 0, 0))
    return kindOf4([low >> 8, low & 255, last >> 8, last & 255])
  if (starts(0, 0, 0, 0, 0, 0, 0)) return ['unspecified', 'loopback'][last] ?? 'IPv4-compatible'
  if (starts(0, 0, 0, 0, 0, 0)) return 'IPv4-compatible'
  if ((first & 0xfe00) === 0xfc00) return 'private'
  if ((first & 0xffc0) === 0xfe80) return 'link-local'
  if (first >= 0xff00) return 'multicast'
  if ((first & 0xe000) !== 0x2000) return 'reserved'
  // ISATAP: an IPv4 address in the second half.
  if ((groups[4] === 0 || groups[4] === 0x200) && groups[5] === 0x5efe) return 'ISATAP'
  return kindIn(blocks6, groups, 16)
}

function samePrefix(
  parts: readonly number[],
  start: readonly number[],
  { bits, width }: { readonly bits: number; readonly width: number },
): boolean {
  for (let index = 0; index * width < bits; index += 1) {
    const kept = Math.min(width, bits - index * width)
    if ((parts[index]! ^ (start[index] ?? 0)) >>> (width - kept) !== 0) return false
  }
  return true
}
