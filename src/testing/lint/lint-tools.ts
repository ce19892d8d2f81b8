// A second reader for tools: what models will stumble over, and what servers will refuse, before either happens.
import { SameloopError } from '../../error/error.ts'
import type { ToolDefinition } from '../../message/model-event.ts'
import { jsonText } from '../../json/text.ts'
import { toSchema, wrapInput } from '../../schema/standard.ts'
import { checkTool } from '../../tool/define.ts'
import type { Tool } from '../../tool/tool.ts'
import { descriptionFindings, sameDescriptions } from './description.ts'
import { finding } from './finding.ts'
import type { LintFinding, Told } from './finding.ts'
import { nameFindings } from './names.ts'
import { providerFindings } from './provider.ts'
import type { LintProvider } from './provider.ts'

/** A list of tools, or a registry, whose tools are looked at as models are told of them. */
export type Lintable = readonly Tool[] | { definitions(): readonly ToolDefinition[] }

const everyone: readonly LintProvider[] = ['openai', 'anthropic', 'gemini']
const names: readonly LintProvider[] = [...everyone, 'openai-strict']

/** Above these, models choose worse. */
const mostTools = 40
const mostCharacters = 8_000

/**
 * Findings about tools, in their order: vague, long and equal descriptions, parameters without one, names that models see in
 * another form or cannot tell apart, schemas that are large, that a provider refuses or reads past, and too many tools. The
 * words of a description are judged as English. Nothing is run or sent; the same tools give the same findings.
 * Throws what registering would, and `config-invalid` for a provider that is not known.
 */
export function lintTools(tools: Lintable, providers: readonly LintProvider[] = everyone): readonly LintFinding[] {
  const unknown = providers.find((provider) => !names.includes(provider))
  if (unknown !== undefined)
    throw new SameloopError('config-invalid', `Cannot lint for "${unknown}": wanted one of ${names.join(', ')}`)
  const told: readonly Told[] = 'definitions' in tools ? tools.definitions() : tools.map(toldOf)
  const [ofNames, same] = [nameFindings(told), sameDescriptions(told)]
  const ofEach = told.map((tool, index) => [
    ...(ofNames[index] ?? []),
    ...(same[index] ?? []),
    ...descriptionFindings(tool),
    ...sizeFindings(tool),
    ...providerFindings(tool, providers),
  ])
  return [...crowdFindings(told, providers), ...ofEach.flat()]
}

function toldOf(tool: Tool): Told {
  checkTool(tool)
  const { name, description, input } = tool
  const json = input ? wrapInput(toSchema(input, 'input').json).json : { type: 'object', properties: {} }
  return { name, description, inputSchema: json as Told['inputSchema'] }
}

function crowdFindings(tools: readonly Told[], providers: readonly LintProvider[]): readonly LintFinding[] {
  const all = { name: '*' }
  const most = 128
  if (tools.length > most && providers.some((provider) => provider.startsWith('openai')))
    return [
      finding(all, 'too-many-tools', `OpenAI takes at most ${most} tools, got ${tools.length}`, { severity: 'error' }),
    ]
  return tools.length > mostTools
    ? [
        finding(
          all,
          'too-many-tools',
          `Models choose worse among more than ${mostTools} tools, got ${tools.length}: offer some per step`,
        ),
      ]
    : []
}

function sizeFindings(tool: Told): readonly LintFinding[] {
  // What nests so deep that it cannot be written is large, too.
  const length = jsonText(tool.inputSchema)?.length ?? Infinity
  return length > mostCharacters
    ? [
        finding(
          tool,
          'large-schema',
          `The schema has ${length} characters of JSON, which every request carries; wanted at most ${mostCharacters}`,
        ),
      ]
    : []
}
