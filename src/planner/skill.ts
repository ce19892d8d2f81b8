// Compound skills, as data: a clause that stands for several, each planned on its own.
import type { ToolDefinition } from '../message/model-event.ts'
import { asTyped, mark } from '../utterance/open-text.ts'
import type { Clear } from '../slot/request.ts'
import { stem, wordsOf } from '../utterance/vocabulary.ts'

interface Skill {
  readonly said: string
  readonly steps: readonly string[]
  /** A tool with this word in its name does it better. */
  readonly verb?: string
}

const file = `(?:the )?(?:file )?(${mark}|\\S*[./]\\S*)`
const count = '(?:count|(?:tell me )?how many)'
const are = '(?:(?:are|is) )?(?:there )?'

const skills: readonly Skill[] = [
  // Questions, said as commands.
  { said: `what(?:'s|s| is) (?:in|inside|written in) ${file}`, steps: ['read $1'] },
  {
    said: String.raw`(?:show|tell|what).* (?:in|inside|of) (?:the )?(?:folder|directory) (\S+)`,
    steps: ['list the directory $1'],
  },
  {
    said: '(?:what|which|show|see|display) (?:me )?(?:(?:all|the|my) )*files(?: (?:are|do|is|exist)( .*)?)?',
    steps: ['list the directory'],
  },
  {
    said: `(?:is|are) there (?:an? |any )?(?:(?:file|folder|directory) )?(?:called |named )?${file}`,
    steps: ['check whether $1 exists'],
  },
  {
    verb: 'count',
    said: `${count} (.+?) ${are}(?:in|of|from|does|do) ${file}(?: (?:have|has|contain))?`,
    steps: ['read $2', 'count $1'],
  },
  {
    verb: 'count',
    said: `${count} (?:times )?(?:the )?(.+?) ${are}(?:used |mentioned )?(?:in|across) (?:all|the|my|every|any|these)(?: .*)?`,
    steps: ['search for $1 in all files', 'count matches'],
  },
  {
    verb: 'count',
    said: '(?:how many |count (?:the|all|my) (?:the )?)files?(?: (?:are|do)(?: .*)?)?',
    steps: ['list the directory', 'count files'],
  },
  {
    verb: 'count',
    said: `(?:write|save|put|store|record) (?:down )?(?:the )?(?:number|count|total) of (?!it |them |that )(.+?) (?:to|in|into) ${file}`,
    steps: ['count $1', 'write the total to $2'],
  },
  {
    verb: 'copy',
    said: `(?:copy|duplicate) ${file} (?:to|into|as) ${file}`,
    steps: ['read $1', 'write it to $2'],
  },
  { verb: 'summarize', said: `(?:summari[sz]e|sum up) ${file}`, steps: ['read $1', 'summarise it'] },
  {
    verb: 'append',
    said: `(?:append|add) (?:the )?(?:line |text )?(.+?) (?:to|at the end of) (?:the end of )?${file}`,
    steps: ['read $2', 'join $1', 'write it to $2'],
  },
]

/** The clauses a clause stands for, or `undefined` where it stands for itself. */
export function expand(clause: Clear, tools: readonly ToolDefinition[]): readonly string[] | undefined {
  const names = new Set(tools.flatMap((tool) => wordsOf(tool.name).map(stem)))
  for (const { verb = '', said, steps } of skills) {
    const match = names.has(stem(verb)) ? null : new RegExp(`^${said}$`, 'i').exec(clause.text)
    if (match) {
      return steps.map((step) =>
        step.replace(/\$(\d)/g, (_, group: string) => asTyped(clause, match[Number(group)] ?? '')),
      )
    }
  }
  return eachPath(clause)
}

/** "read a.md, b.md and c.md" stands for three clauses. */
function eachPath(clause: Clear): readonly string[] | undefined {
  const { text, entities } = clause
  const paths = entities.filter(({ type }) => type === 'path')
  const [first] = paths
  const last = paths.at(-1)
  if (!first || !last || first === last) return undefined
  const isList = paths.every((path, index) => {
    const next = paths[index + 1]
    return !next || /^ ?(?:,|,? ?and|&|\+) ?$/i.test(text.slice(path.end, next.start))
  })
  return isList
    ? paths.map(({ value }) => asTyped(clause, text.slice(0, first.start) + value + text.slice(last.end)))
    : undefined
}
