// Compound skills, as data: a clause that stands for several, each planned on its own.
import type { ToolDefinition } from '../message/model-event.ts'
import { findEntities } from './entity.ts'
import { pattern, stem, wordsOf } from './vocabulary.ts'

interface Skill {
  /** A tool with this word in its name does it better. */
  readonly verb?: string
  readonly said: RegExp
  readonly steps: readonly string[]
}

const file = String.raw`(?:the )?(?:file )?(\S*[./]\S*)`
const folder = String.raw`(?:the )?(?:folder|directory) (\S+)`
const count = '(?:count|how many|tell me how many)'
const are = '(?:(?:are|is) )?(?:there )?'

const skills = (): readonly Skill[] => [
  // Questions, said as commands.
  { said: pattern(`^what(?:'s|s| is) (?:in|inside|written in) ${file}$`), steps: ['read $1'] },
  { said: pattern(`^(?:show|tell|what).* (?:in|inside|of) ${folder}$`), steps: ['list the directory $1'] },
  {
    said: pattern(
      String.raw`^(?:what|which|show|see|display) (?:me )?(?:(?:all|the|my) )*files(?: (?:are|do|is|exist)\b.*)?$`,
    ),
    steps: ['list the directory'],
  },
  {
    said: pattern(`^(?:is|are) there (?:an? |any )?(?:(?:file|folder|directory) )?(?:called |named )?${file}$`),
    steps: ['check whether $1 exists'],
  },
  {
    verb: 'count',
    said: pattern(`^${count} (.+?) ${are}(?:in|of|from|does|do) ${file}(?: (?:have|has|contain))?$`),
    steps: ['read $2', 'count $1'],
  },
  {
    verb: 'count',
    said: pattern(
      `^${count} (?:times )?(?:the )?(.+?) ${are}(?:used |mentioned )?`,
      String.raw`(?:in|across) (?:all|the|my|every|any|these)\b.*$`,
    ),
    steps: ['search for $1 in all files', 'count matches'],
  },
  {
    verb: 'count',
    said: pattern(String.raw`^(?:how many |count (?:the|all|my) (?:the )?)files?(?: (?:are|do)\b.*)?$`),
    steps: ['list the directory', 'count files'],
  },
  {
    verb: 'count',
    said: pattern(
      '^(?:write|save|put|store|record) (?:down )?(?:the )?(?:number|count|total) of ',
      String.raw`(?!it\b|them\b|that\b)(.+?) (?:to|in|into) ${file}$`,
    ),
    steps: ['count $1', 'write the total to $2'],
  },
  {
    verb: 'copy',
    said: pattern(`^(?:copy|duplicate) ${file} (?:to|into|as) ${file}$`),
    steps: ['read $1', 'write it to $2'],
  },
  { verb: 'summarize', said: pattern(`^(?:summari[sz]e|sum up) ${file}$`), steps: ['read $1', 'summarise it'] },
  {
    verb: 'append',
    said: pattern(
      `^(?:append|add) (?:the )?(?:line |text )?["'“]?([^"]+?)["'”]? `,
      `(?:to|at the end of) (?:the end of )?${file}$`,
    ),
    steps: ['read $2', 'join "$1"', 'write it to $2'],
  },
]

/** The clauses a clause stands for, or `undefined` where it stands for itself. */
export function expand(clause: string, tools: readonly ToolDefinition[]): readonly string[] | undefined {
  const names = new Set(tools.flatMap((tool) => wordsOf(tool.name).map(stem)))
  for (const { verb, said, steps } of skills()) {
    const match = verb !== undefined && names.has(stem(verb)) ? null : said.exec(clause)
    if (match) return steps.map((step) => step.replace(/\$(\d)/g, (_, group: string) => match[Number(group)] ?? ''))
  }
  return eachPath(clause)
}

/** "read a.md, b.md and c.md" stands for three clauses. */
function eachPath(clause: string): readonly string[] | undefined {
  const paths = findEntities(clause).filter((entity) => entity.type === 'path')
  const first = paths[0]
  const last = paths.at(-1)
  if (!first || !last || paths.length < 2) return undefined
  const isList = paths.every((path, index) => {
    const next = paths[index + 1]
    return !next || /^\s*(?:,|,?\s*and|&|\+)\s*$/i.test(clause.slice(path.end, next.start))
  })
  return isList ? paths.map((path) => clause.slice(0, first.start) + path.value + clause.slice(last.end)) : undefined
}
