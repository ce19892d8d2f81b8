// The planner's own words: results in short form, questions, and a refusal that shows what would work.
import type { ToolDefinition } from '../message/model-event.ts'
import type { Json } from '../json/value.ts'
import { cut } from '../json/text.ts'
import { slotsOf } from '../slot/role.ts'
import type { Role, Slot } from '../slot/role.ts'

/** Something that was found or done, for the closing answer. */
export interface Note {
  readonly title: string
  readonly text: string
}

const mostLines = 12
const mostCharacters = 800

/** Short text as it is; of long text the number of lines and the first ones. */
function shorten(text: string): string {
  const trimmed = text.trimEnd()
  const lines = trimmed.split('\n')
  if (lines.length <= mostLines && text.length <= mostCharacters) return trimmed
  const head = lines.slice(0, 8).map((line) => cut(line, 160))
  return [`${lines.length} lines, beginning with:`, ...head, '…'].join('\n')
}

export function answer(notes: readonly Note[]): string {
  if (notes.length === 1) return shorten(notes[0]?.text ?? '') || 'Done: the result is empty.'
  return notes
    .map(({ title, text }) => (title === '' ? shorten(text) : `${title}:\n${shorten(text) || '(nothing)'}`))
    .join('\n\n')
}

const samples: { readonly [role in Role]?: string } = {
  path: 'notes.md',
  glob: '**/*.md',
  contents: 'hello',
  url: 'https://example.com',
  expression: '17*23',
  number: '1',
  flag: 'true',
  data: '[]',
}

function sample({ name, schema, role }: Slot): string {
  const options = schema['enum']
  const value = Array.isArray(options) ? String(options[0] as Json) : (samples[role] ?? 'example')
  return ` ${name}=${/\s/.test(value) ? JSON.stringify(value) : value}`
}

/** How a tool is called by hand, or what its author says people say. */
function exampleOf(tool: ToolDefinition): string {
  const required = slotsOf(tool).filter((slot) => slot.isRequired)
  return tool.examples?.[0] ?? `/${tool.name}${required.map(sample).join('')}`
}

/** Three things that would work, from the front of the list. */
function suggestions(tools: readonly ToolDefinition[]): string {
  const lines = tools.slice(0, 3).map((tool) => `- ${exampleOf(tool)}`)
  return lines.length === 0 ? 'There are no tools to run.' : ['I can run, for example:', ...lines].join('\n')
}

export function refusal(clause: string, why: string, tools: readonly ToolDefinition[]): string {
  const first = why === '' ? `I cannot plan ${JSON.stringify(cut(clause, 120))} without a model.` : `${why}.`
  return `${first} I am a rule-based planner, no AI. ${suggestions(tools)}\nOr connect a model.`
}

export function help(tools: readonly ToolDefinition[]): string {
  const names = tools.slice(0, 24).map((tool) => tool.name)
  return [
    'I am a rule-based planner, no AI: I match what you type to tools by fixed rules, and ask rather than guess.',
    ...(names.length === 0 ? [] : [`Tools: ${names.join(', ')}.`]),
    suggestions(tools),
    'A tool can always be called as `/tool key=value` or `/tool {json}`; `$last` and `$1` stand for earlier results.',
  ].join('\n')
}
