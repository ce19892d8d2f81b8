// Which addresses are on the open internet. Everything the IANA special-purpose registries list, and everything not
// handed out for global use, is not (iana-ipv4-special-registry, iana-ipv6-special-registry).

/** Where an address or a name leads, as far as its text tells. */
export type AddressKind = 'public' | 'name' | 'invalid' | (string & {})

type Block4 = readonly [address: number, bits: number, kind: string]
type Block6 = readonly [groups: readonly number[], bits: number, kind: string]

const at = (a: number, b = 0, c = 0, d = 0): number => ((a << 24) | (b << 16) | (c << 8) | d) >>> 0

const blocks4: () => readonly Block4[] = () => [
  [at(0), 8, 'this network'],
  [at(10), 8, 'private'],
  [at(100, 64), 10, 'shared address space'],
  [at(127), 8, 'loopback'],
  [at(169, 254), 16, 'link-local'],
  [at(172, 16), 12, 'private'],
  [at(192), 24, 'protocol assignments'],
  [at(192, 0, 2), 24, 'documentation'],
  [at(192, 31, 196), 24, 'AS112'],
  [at(192, 52, 193), 24, 'AMT'],
  [at(192, 88, 99), 24, '6to4 relay'],
  [at(192, 168), 16, 'private'],
  [at(192, 175, 48), 24, 'AS112'],
  [at(198, 18), 15, 'benchmarking'],
  [at(198, 51, 100), 24, 'documentation'],
  [at(203, 0, 113), 24, 'documentation'],
  // Not in the registry: the host's own service on one cloud.
  [at(168, 63, 129, 16), 32, 'cloud metadata'],
  [at(224), 4, 'multicast'],
  [at(240), 4, 'reserved'],
]

/** Inside 2000::/3; all else but the forms that carry an IPv4 address is not global. */
const blocks6: () => readonly Block6[] = () => [
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

function parse4(text: string): number | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)
  const parts = match?.slice(1).map(Number)
  if (parts === undefined || parts.some((part) => part > 255)) return undefined
  return at(parts[0]!, parts[1], parts[2], parts[3])
}

function kindOf4(address: number): AddressKind {
  const block = blocks4().find(([start, bits]) => (address ^ start) >>> (32 - bits) === 0)
  return block?.[2] ?? 'public'
}

/** The eight groups of an IPv6 address. A zone ("%eth0") makes it none. */
function parse6(text: string): readonly number[] | undefined {
  const lastColon = text.lastIndexOf(':')
  const tail = parse4(text.slice(lastColon + 1))
  const whole =
    tail === undefined
      ? text
      : `${text.slice(0, lastColon + 1)}${(tail >>> 16).toString(16)}:${(tail & 0xffff).toString(16)}`
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
  const four = ((groups[6]! << 16) | groups[7]!) >>> 0
  const starts = (...wanted: number[]): boolean => wanted.every((group, index) => groups[index] === group)
  // What these reach is the IPv4 address inside: mapped, and NAT64 as DNS64 makes it.
  if (starts(0, 0, 0, 0, 0, 0xffff) || starts(0x64, 0xff9b, 0, 0, 0, 0)) return kindOf4(four)
  if (starts(0, 0, 0, 0, 0, 0)) return four <= 1 ? ['unspecified', 'loopback'][four]! : 'IPv4-compatible'
  if ((groups[0]! & 0xfe00) === 0xfc00) return 'private'
  if ((groups[0]! & 0xffc0) === 0xfe80) return 'link-local'
  if (groups[0]! >= 0xff00) return 'multicast'
  if ((groups[0]! & 0xe000) !== 0x2000) return 'reserved'
  // ISATAP: an IPv4 address in the second half.
  if ((groups[4] === 0 || groups[4] === 0x200) && groups[5] === 0x5efe) return 'ISATAP'
  return blocks6().find(([start, bits]) => samePrefix(groups, start, bits))?.[2] ?? 'public'
}

function samePrefix(groups: readonly number[], start: readonly number[], bits: number): boolean {
  for (let index = 0; index * 16 < bits; index += 1) {
    const kept = Math.min(16, bits - index * 16)
    if ((groups[index]! ^ (start[index] ?? 0)) >>> (16 - kept) !== 0) return false
  }
  return true
}
