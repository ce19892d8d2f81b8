// Compound skills, as data: a clause that stands for several, each planned on its own.
import type { ToolDefinition } from '../message/model-event.ts'
import { findEntities } from './entity.ts'
import { stem, wordsOf } from './vocabulary.ts'

interface Skill {
  /** A tool with this word in its name does it better. */
  readonly verb: string
  readonly said: RegExp
  readonly steps: readonly string[]
}

const file = String.raw`(?:the\s+)?(?:file\s+)?(\S*[./]\S*)`
const written = '(?:write|save|put|store|record)'

const skills: readonly Skill[] = [
  {
    verb: 'count',
    said: new RegExp(String.raw`^(?:count|how many|tell me how many)\s+(.+?)\s+(?:(?:are|is)\s+)?(?:there\s+)?(?:in|of|from|does|do)\s+${file}(?:\s+(?:have|has|contain))?$`, 'i'),
    steps: ['read $2', 'count $1'],
  },
  {
    verb: 'count',
    said: /^(?:count|how many|tell me how many)\s+(?:times\s+)?(?:the\s+)?(.+?)\s+(?:(?:are|is)\s+)?(?:there\s+|used\s+|mentioned\s+)?(?:in|across)\s+(?:all|the|my|every|any|these)\b.*$/i,
    steps: ['search for $1 in all files', 'count matches'],
  },
  { verb: 'count', said: /^(?:count|how many)\s+(?:the\s+|all\s+)?files?(?:\s+(?:are|do).*)?$/i, steps: ['list the files', 'count files'] },
  {
    verb: 'count',
    said: new RegExp(String.raw`^${written}\s+(?:down\s+)?(?:the\s+)?(?:number|count|total)\s+of\s+(?!it\b|them\b|that\b)(.+?)\s+(?:to|in|into)\s+${file}$`, 'i'),
    steps: ['count $1', 'write the total to $2'],
  },
  { verb: 'copy', said: new RegExp(String.raw`^(?:copy|duplicate)\s+${file}\s+(?:to|into|as)\s+${file}$`, 'i'), steps: ['read $1', 'write it to $2'] },
  { verb: 'summarize', said: new RegExp(String.raw`^(?:summari[sz]e|sum up)\s+${file}$`, 'i'), steps: ['read $1', 'summarise it'] },
  {
    verb: 'append',
    said: new RegExp(String.raw`^(?:append|add)\s+(?:the\s+)?(?:line\s+|text\s+)?["'“]?([^"]+?)["'”]?\s+(?:to|at the end of)\s+(?:the end of\s+)?${file}$`, 'i'),
    steps: ['read $2', 'join "$1"', 'write it to $2'],
  },
]

/** The clauses a clause stands for, or `undefined` where it stands for itself. */
export function expand(clause: string, tools: readonly ToolDefinition[]): readonly string[] | undefined {
  const names = new Set(tools.flatMap((tool) => wordsOf(tool.name).map(stem)))
  for (const { verb, said, steps } of skills) {
    const match = names.has(stem(verb)) ? null : said.exec(clause)
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
