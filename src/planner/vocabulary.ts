// The words the planner knows: what people say for reading, writing, searching and so on. Plain data.

/** Words of one line mean much the same when they name an action; a word may stand in several lines. */
const groups = [
  'read show open cat display print view see load',
  'write save store put create make record',
  'edit replace change substitute swap modify update rename',
  'grep search find look locate contain mention occurrence where',
  'glob find locate match named ending',
  'list ls dir show folder directory entries',
  'delete remove rm erase trash',
  'exists exist there check present',
  'calculator calculate compute evaluate calc expression arithmetic math solve plus minus times',
  'patch apply diff',
  'get fetch retrieve',
  'create add new open make',
  'convert change exchange',
  'weather forecast temperature',
  'send post mail email message',
]

/** Words that begin a clause. */
const verbs =
  'read show open cat print display view get fetch write save store put create make add append list ls find search ' +
  'grep look locate count calculate compute evaluate replace change substitute swap edit delete remove rm erase ' +
  'check tell convert summarise summarize copy rename update apply patch send post how what where is does give run'

const stops =
  'a an the of to in into on for from with by at as and or is are was be there me my our us i you it that this them ' +
  'those these please can could would do does did all any some each every what which who how much many if whether up ' +
  'out about then now just also have has your named called s first last line lines word words text'

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))

export interface Vocabulary {
  readonly verbs: ReadonlySet<string>
  readonly stops: ReadonlySet<string>
  /** From a stem to the numbers of its groups. */
  readonly groups: ReadonlyMap<string, readonly number[]>
}

let known: Vocabulary | undefined

/** Made when first asked for. */
export function vocabulary(): Vocabulary {
  if (known) return known
  const byStem = new Map<string, number[]>()
  groups.forEach((group, index) => {
    for (const word of group.split(' ')) byStem.set(stem(word), [...(byStem.get(stem(word)) ?? []), index])
  })
  known = { verbs: words(verbs), stops: words(stops), groups: byStem }
  return known
}

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

/** A pattern written in plain words, without regard to case: a space stands for any white space. */
// @__NO_SIDE_EFFECTS__
export function pattern(...parts: readonly string[]): RegExp {
  return new RegExp(parts.join('').replaceAll(' ', String.raw`\s+`), 'i')
}
