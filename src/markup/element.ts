// What the elements of HTML are to a reader: blocks, marks within a line, parts that nobody reads.
import type { MarkKind } from './line.ts'
import type { Attributes } from './tokens.ts'

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))

/** Without an end tag. */
export const isVoid = (name: string): boolean => voids.has(name)
const voids = words(
  'area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr',
)

/** An element whose inside an end tag from within does not leave, unless it is its own. */
export const isScope = (name: string): boolean => scopes.has(name)
const scopes = words('button caption dl ol table td template th ul')

/** What ends a paragraph that is open. */
export const isBlock = (name: string): boolean => blocks.has(name)
const blocks = words(
  'address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure ' +
    'footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol p pre search section summary table ' +
    'tbody td tfoot th thead tr ul',
)

/** Never text for a reader. */
export const isSkipped = (name: string): boolean => skipped.has(name)
const skipped = words(
  'annotation applet audio canvas datalist embed frameset iframe map noembed noframes noscript object optgroup option ' +
    'rp rt script select style svg template textarea video',
)

/** May stand in the head; anything else begins the body. */
export const isHeadPart = (name: string): boolean => headParts.has(name)
const headParts = words('base basefont bgsound head html link meta noscript script style template title')

/** What groups blocks, so that the main part of a page can be told from what surrounds it. */
export const isContainer = (name: string): boolean => containers.has(name)
const containers = words(
  'article aside body blockquote center details dialog div dl fieldset footer form header main nav ol search section ' +
    'table td ul',
)

const unseenStyle =
  /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|(?:opacity|font-size)\s*:\s*0+(?:\.0+)?(?:px|em|rem|pt|%)?\s*(?:;|!|$)|(?:max-)?(?:width|height)\s*:\s*0(?:px)?\s*(?:;|!|$)|text-indent\s*:\s*-\d{3}|(?:left|right|top|margin-left)\s*:\s*-\d{4}|clip\s*:\s*rect\s*\(\s*[01])/i

const unseenClass =
  /(?:^|\s)(?:sr-only|visually-?hidden|screen-reader(?:-text)?|screenreader|is-hidden|d-none|hidden)(?:\s|$)/i
/** Hidden on small screens only. */
const seenOnWide = /(?:^|\s)(?:(?:sm|md|lg|xl|2xl):(?:block|flex|grid|inline|table)|d-(?:sm|md|lg|xl|xxl)-)/

/** Text that people do not see is no part of a page: it is where instructions for models are hidden. */
export function isHidden(name: string, attributes: Attributes): boolean {
  if (attributes.size === 0) return name === 'dialog'
  const style = attributes.get('style')
  return (
    attributes.has('hidden') ||
    attributes.get('aria-hidden')?.toLowerCase() === 'true' ||
    (name === 'dialog' && !attributes.has('open')) ||
    (style !== undefined && unseenStyle.test(style)) ||
    hidesByClass(attributes.get('class'))
  )
}

const hidesByClass = (names = ''): boolean => unseenClass.test(names) && !seenOnWide.test(names)

const asides = words('aside footer search')
const asideRole = /^(?:banner|complementary|contentinfo|menu|menubar|search|toolbar)$/i
const coverRole = /^(?:alertdialog|dialog|navigation)$/i

/** Parts of a class or id by which sites call what surrounds a text. */
const asideWords = words(
  'ad ads advert advertisement adverts adsense banner breadcrumb breadcrumbs copyright footer masthead menu modal nav ' +
    'navbar navigation newsletter outbrain overlay pager pagination popup promo promoted recommendations recommended ' +
    'related share sharing shares sidebar signup skyscraper social sponsor sponsored subscribe taboola toc toolbar trending',
)
const coverWords = words('consent cookie cookies gdpr')

/**
 * Whether an element is beside the text, as far as its name, role, class or id tell: `likely`, unless it holds much of
 * the text after all, or `surely`. `inText`: an article is open.
 */
export function asideness(name: string, attributes: Attributes, inText: boolean): 'surely' | 'likely' | undefined {
  if (name === 'html' || name === 'body' || name === 'main' || name === 'article') return undefined
  const role = attributes.get('role') ?? ''
  const called = wordsOf(`${attributes.get('class') ?? ''} ${attributes.get('id') ?? ''}`)
  if (name === 'nav' || coverRole.test(role) || attributes.has('aria-modal')) return 'surely'
  if (called.some((word) => coverWords.has(word))) return 'surely'
  if (asides.has(name) && !(inText && name === 'aside')) return 'likely'
  if (name === 'header' && !inText) return 'likely'
  return asideRole.test(role) || called.some((word) => asideWords.has(word)) ? 'likely' : undefined
}

const wordsOf = (called: string): readonly string[] =>
  called === ' '
    ? []
    : called
        .slice(0, 500)
        .replace(/([a-z])([A-Z])/g, '$1 $2')
        .toLowerCase()
        .split(/[^a-z]+/)

/** The language of a code block, as highlighters write it into a class. */
export function codeLanguage(attributes: Attributes): string {
  const named = attributes.get('data-lang') ?? attributes.get('data-language')
  const [, inClass] =
    /(?:^|\s)(?:language-|lang-|highlight-source-|brush:\s*|sourceCode\s+)([\w+#.-]{1,30})/.exec(
      attributes.get('class') ?? '',
    ) ?? []
  return (named ?? inClass ?? '').replace(/[^\w+#.-]/g, '').slice(0, 30)
}

/** How the text of an element is marked within its line. */
export const markOf = (name: string): MarkKind | undefined => marks.get(name)
const marks: ReadonlyMap<string, MarkKind> = new Map([
  ['b', 'strong'],
  ['strong', 'strong'],
  ['em', 'em'],
  ['i', 'em'],
  ['cite', 'em'],
  ['del', 'del'],
  ['s', 'del'],
  ['strike', 'del'],
  ['code', 'code'],
  ['kbd', 'code'],
  ['samp', 'code'],
  ['tt', 'code'],
  ['sup', 'sup'],
])
