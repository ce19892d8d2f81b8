// The words the planner knows: what people say for reading, writing, searching and so on. Plain data.

// @__NO_SIDE_EFFECTS__
export const wordSet = (text: string): ReadonlySet<string> => new Set(text.split(' '))

/** Words that carry nothing. */
export const stops: ReadonlySet<string> = wordSet(
  'a an the of to in into on for from with by at as and or is are was be there me my our us i you it that this them ' +
    'those these please can could would do does did all any some each every what which who how much many if whether ' +
    'up out about then now just also have has your named called s first last line lines word words text',
)

/**
 * Words of one line mean much the same when they name an action; a word may stand in several lines. Those before the
 * bar begin a clause, those behind it do not.
 */
const groups = [
  'read show open cat display print|view see load',
  'write save store put create make|record',
  'edit replace change substitute swap update rename|modify',
  'grep search find look locate where|contain mention occurrence',
  'find locate|glob match named ending',
  'list ls show|dir folder directory entries',
  'delete remove rm erase|trash',
  'check|exists exist there present',
  'calculate compute evaluate|calculator calc expression arithmetic math solve plus minus times',
  'apply patch|diff',
  'get fetch|retrieve',
  'create add open make|new',
  'convert change|exchange',
  '|weather forecast temperature',
  'send post|mail email message',
]

/** Words that begin a clause. */
export const verbs: ReadonlySet<string> = wordSet(
  [
    'view append count tell summarise summarize copy how what is does give run',
    ...groups.map((group) => group.split('|')[0]),
  ].join(' '),
)

// @__NO_SIDE_EFFECTS__
function groupBits(): ReadonlyMap<string, number> {
  const bits = new Map<string, number>()
  groups.forEach((group, index) => {
    for (const word of group.split(/[ |]/).map(stem)) bits.set(word, (bits.get(word) ?? 0) | (1 << index))
  })
  return bits
}

/** From a stem to its groups, one bit each. */
const groupsOf = groupBits()

export const isSynonym = (left: string, right: string): boolean =>
  ((groupsOf.get(left) ?? 0) & (groupsOf.get(right) ?? 0)) !== 0

/** A word without its usual endings, good enough to compare with another. */
export function stem(word: string): string {
  let root = word.toLowerCase()
  if (root.length > 4 && root.endsWith('ies')) root = `${root.slice(0, -3)}y`
  else if (root.length > 3 && /[^sui]s$/.test(root)) root = root.slice(0, -1)
  if (root.length > 5 && root.endsWith('ing')) root = root.slice(0, -3)
  else if (root.length > 4 && root.endsWith('ed')) root = root.slice(0, -2)
  return root.length > 3 && root.endsWith('e') ? root.slice(0, -1) : root
}

/** The words of a text or a name, `snake_case` and `camelCase` taken apart, in lower case. */
export function wordsOf(text: string): string[] {
  return (text.replace(/([a-z0-9])([A-Z])/g, '$1 $2').match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => word.toLowerCase())
}
