// Whether a description tells a model when to call a tool, and what to give it.
import { finding } from './finding.ts'
import type { LintFinding, Told } from './finding.ts'
import { schemaNodes } from './schema-nodes.ts'

/** Words that say nothing about one tool. */
const fillers = new Set(
  (
    'a an the this that it is of for to and or in on with by from as your you ' +
    'tool function method helper utility handler util does do stuff things something anything data info information ' +
    'used use uses useful handles manages processes performs executes calls given value values input output result'
  ).split(' '),
)
const fewestWords = 3
const longest = 1_024

const wordsOf = (text: string): readonly string[] =>
  text
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')

/** Plural and conjugated forms count as the word itself. */
const stem = (word: string): string => word.replace(/(?:ing|ed|es|s|e)$/, '')

export function descriptionFindings(tool: Told): readonly LintFinding[] {
  return [...textFindings(tool), ...parameterFindings(tool)]
}

function textFindings(tool: Told): readonly LintFinding[] {
  const words = wordsOf(tool.description)
  const ofName = new Set(wordsOf(tool.name).map(stem))
  const telling = words.filter((word) => !fillers.has(word))
  const vague = (why: string): LintFinding => finding(tool, 'vague-description', `The description ${why}`)
  const findings: LintFinding[] = []
  // Scripts without spaces between words have one long "word".
  const isShort = words.length < fewestWords && tool.description.length < 20
  if (isShort) findings.push(vague(`has ${words.length} words: say what the tool does, and when to use it`))
  else if (telling.every((word) => ofName.has(stem(word))))
    findings.push(vague('says no more than the name: say what the tool does, and when to use it'))
  else if (/^(?:an?|the)\s/i.test(tool.description) && !hasVerb(words))
    findings.push(vague('names a thing and has no verb: say what the tool does'))
  if (tool.description.length > longest)
    findings.push(
      finding(
        tool,
        'long-description',
        `The description has ${tool.description.length} characters; more than ${longest} are refused by some servers, and read badly by all`,
      ),
    )
  return findings
}

/** What shipped and common tools do; with an ending it is a verb in any case. */
const verbs = new Set(
  (
    'add ask book buy call cancel change check close compare compute convert copy count create delete describe download ' +
    'draw edit explain fetch find get give keep list load look make move open order pay plan play post print put read ' +
    'remove rename run save say search send set show sort start stop store tell test turn update upload write'
  )
    .split(' ')
    .map(stem),
)
const hasVerb = (words: readonly string[]): boolean =>
  words.some((word) => verbs.has(stem(word)) || word.endsWith('ing'))

function parameterFindings(tool: Told): readonly LintFinding[] {
  return schemaNodes(tool.inputSchema).flatMap(({ schema, property, path }) => {
    if (property === undefined || Object.hasOwn(schema, 'const') || typeof schema['$ref'] === 'string') return []
    const { description } = schema
    if (typeof description === 'string' && description.trim() !== '') return []
    return [finding(tool, 'undocumented-parameter', `The parameter "${property}" has no description`, { path })]
  })
}

/** For each tool, whether it shares its description with one before: a model cannot choose between them. */
export function sameDescriptions(tools: readonly Told[]): readonly (readonly LintFinding[])[] {
  const first = new Map<string, string>()
  return tools.map((tool) => {
    const text = wordsOf(tool.description).join(' ')
    const other = first.get(text)
    if (other !== undefined)
      return [finding(tool, 'same-description', `It has the description of "${other}": say how they differ`)]
    first.set(text, tool.name)
    return []
  })
}
