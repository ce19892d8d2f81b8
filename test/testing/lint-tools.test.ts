import { describe, expect, it } from 'vitest'
import { javascript, shell } from '../../adapters/virtual/index.ts'
import { builtinTools } from '../../src/builtin/builtin.ts'
import { codeTools } from '../../src/builtin/code-tools.ts'
import { jsonQuery } from '../../src/builtin/json-query.ts'
import { webTools } from '../../src/builtin/web-tools.ts'
import { toolRegistry } from '../../src/catalog/tool-registry.ts'
import { jsonSchema } from '../../src/schema/check.ts'
import type { JsonSchema } from '../../src/schema/schema.ts'
import { skills } from '../../src/skill/skills.ts'
import { lintTools } from '../../src/testing/lint/lint-tools.ts'
import type { LintProvider } from '../../src/testing/lint/provider.ts'
import type { Tool } from '../../src/tool/tool.ts'
import { memoryFiles } from '../../src/vfs/memory.ts'
import { trusted } from '../../src/wrapper/trusted.ts'

const good = 'Sends a mail to one person, when the user asks for it.'

let count = 0

const made = (name: string, description = `${good} ${(count += 1)}`, schema?: JsonSchema): Tool => ({
  name,
  description,
  ...(schema ? { input: jsonSchema(schema) } : {}),
  execute: () => '',
})

const object = (properties: Record<string, JsonSchema>, more: JsonSchema = {}): JsonSchema => ({
  type: 'object',
  properties,
  ...more,
})

/** Rule, place and severity of each finding. */
const rules = (tools: readonly Tool[], providers?: readonly LintProvider[]): readonly string[] =>
  lintTools(tools, providers).map(({ tool, rule, path, severity }) =>
    [tool, rule, path, severity].filter(Boolean).join(' '),
  )

const text: JsonSchema = { type: 'string', description: 'A text' }

describe('lintTools()', () => {
  it('finds nothing in the tools of the library', async () => {
    const files = memoryFiles({ files: { '/skills/a/SKILL.md': '---\nname: a\ndescription: Does a.\n---\n' } })
    const env = { fs: files, shell: shell(), code: javascript(), fetch }
    const { tools } = await skills(trusted(files))
    const all = [...builtinTools({ env }), ...codeTools({ env }), ...jsonQuery({ env }), ...webTools({ env }), ...tools]
    expect(all.length).toBeGreaterThan(14)
    // Its headers are any, and described nowhere yet.
    const known = (name: string, path = ''): boolean => name === 'http_request' && path === '/properties/headers'
    expect(lintTools(all).filter(({ tool, path }) => !known(tool, path))).toEqual([])
  })

  it('finds descriptions that say nothing', () => {
    expect(rules([made('send_mail', 'Mails')])).toEqual(['send_mail vague-description warning'])
    expect(rules([made('send_mail', 'This tool sends mails')])).toEqual(['send_mail vague-description warning'])
    expect(rules([made('sendMail', 'A helper function to send the mail.')])).toEqual([
      'sendMail vague-description warning',
    ])
    expect(rules([made('send_mail', 'The address of one person.')])).toEqual(['send_mail vague-description warning'])
    expect(rules([made('send_mail', 'メールを一人に送ります。利用者が頼んだときだけ使います。')])).toEqual([])
    expect(rules([made('send_mail', `${good} ${'x'.repeat(1024)}`)])).toEqual(['send_mail long-description warning'])
  })

  it('finds descriptions that two tools share', () => {
    expect(rules([made('a', good), made('b', good.toUpperCase()), made('c')])).toEqual(['b same-description warning'])
  })

  it('finds parameters without a description, at any depth', () => {
    const schema = object({
      to: { type: 'string' },
      list: {
        type: 'array',
        description: 'People',
        items: object({ name: { type: 'string', description: ' ' }, age: text }),
      },
      kind: { const: 'mail' },
    })
    expect(rules([made('a', good, schema)], ['openai'])).toEqual([
      'a undocumented-parameter /properties/to warning',
      'a undocumented-parameter /properties/list/items/properties/name warning',
    ])
  })

  it('finds names that models see in another form or mix up', () => {
    const tools = [made('fs.read'), made('fs_read'), made('FS_READ'), made('a'.repeat(65))]
    expect(rules(tools).map((line) => line.replace(/a{65}/, 'a…'))).toEqual([
      'fs.read name-form warning',
      'fs_read name-taken warning',
      'FS_READ name-taken warning',
      'a… name-form warning',
    ])
    expect(lintTools(tools)[2]?.message).toBe(
      'It differs from "fs.read" in upper and lower case alone, which models mix up',
    )
    expect(rules([made('a', `${good} 1`), made('a', `${good} 2`)])).toEqual(['a name-taken error'])
  })

  it('finds what each provider refuses or reads past', () => {
    const union = object({ a: text }, { anyOf: [{ required: ['a'] }] })
    expect(rules([made('a', good, union)], ['openai'])).toEqual(['a refused-schema error'])
    expect(rules([made('a', good, union)], ['anthropic'])).toEqual(['a refused-schema error'])
    expect(rules([made('a', good, union)], ['gemini'])).toEqual([])
    const bare = object({ list: { type: 'array', description: 'x' } })
    expect(rules([made('a', good, bare)], ['openai', 'gemini'])).toEqual([
      'a refused-schema /properties/list error',
      'a refused-schema /properties/list error',
    ])
    expect(rules([made('a', good, bare)], ['anthropic'])).toEqual([])
    const odd = object({ 'a b': text, ['x'.repeat(65)]: text })
    expect(rules([made('a', good, odd)], ['anthropic'])).toHaveLength(2)
    expect(rules([made('a', good, odd)], ['openai', 'gemini'])).toEqual([])
    const choices = object({ n: { enum: [1, 2], description: 'x' }, not: { not: { const: 1 }, description: 'x' } })
    expect(rules([made('a', good, choices)], ['gemini'])).toEqual([
      'a ignored-schema /properties/n warning',
      'a ignored-schema /properties/not warning',
      'a ignored-schema /properties/not/not warning',
    ])
    expect(rules([made('2nd', good)], ['gemini'])).toEqual(['2nd refused-schema error'])
  })

  it('knows the rules of strict mode, for who uses it', () => {
    const schema = object({ a: text, b: { description: 'x' } }, { required: ['a'] })
    expect(lintTools([made('a', good, schema)], ['openai-strict']).map(({ message }) => message)).toEqual([
      'OpenAI in strict mode wants "additionalProperties": false',
      'OpenAI in strict mode wants all properties in "required": "b"',
      'OpenAI in strict mode wants a "type"',
    ])
    const strict = object({ a: text }, { required: ['a'], additionalProperties: false })
    expect(rules([made('a', good, strict)], ['openai-strict'])).toEqual([])
    let deep: JsonSchema = strict
    for (let level = 0; level < 11; level += 1)
      deep = object({ a: { ...deep, description: 'x' } }, { required: ['a'], additionalProperties: false })
    expect(lintTools([made('a', good, deep)], ['openai-strict']).map(({ message }) => message)).toEqual([
      'OpenAI in strict mode takes at most 10 levels of objects, got 12',
    ])
  })

  it('finds large schemas and too many tools', () => {
    const large = object({ a: { type: 'string', description: 'x'.repeat(8_000) } })
    expect(rules([made('a', good, large)])).toEqual(['a large-schema warning'])
    const many = (count: number): readonly Tool[] => Array.from({ length: count }, (_, index) => made(`t${index}`))
    expect(rules(many(40))).toEqual([])
    expect(rules(many(41))).toEqual(['* too-many-tools warning'])
    expect(rules(many(129))).toEqual(['* too-many-tools error'])
    expect(rules(many(129), ['anthropic'])).toEqual(['* too-many-tools warning'])
  })

  it('takes a registry, and tools whose input is no object', () => {
    const registry = toolRegistry().register([made('fs.read'), made('fs_read')])
    expect(lintTools(registry)).toEqual([])
    expect(rules([made('a', good, { type: 'string', description: 'A text' })], ['openai', 'anthropic'])).toEqual([])
    expect(rules([made('a', good, { type: 'string' })], ['openai'])).toEqual([
      'a undocumented-parameter /properties/input warning',
    ])
  })

  it('refuses what is no tool and whom it does not know', () => {
    expect(() => lintTools([{ name: 'x' } as Tool])).toThrow('Cannot use tool "x"')
    expect(() => lintTools([], ['grok' as 'openai'])).toThrow(
      'Cannot lint for "grok": wanted one of openai, anthropic, gemini',
    )
  })

  it('says the same each time, and is not lost in hostile schemas', () => {
    const hostile = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"array"},"constructor":{"enum":[{}]}}}',
    ) as JsonSchema
    const tools = [made('a', good, hostile)]
    expect(lintTools(tools)).toEqual(lintTools(tools))
    expect(rules(tools, ['gemini'])).toContain('a refused-schema /properties/__proto__ error')
    let deep: JsonSchema = text
    for (let level = 0; level < 5_000; level += 1) deep = object({ a: deep })
    expect(
      lintTools({ definitions: () => [{ name: 'a', description: good, inputSchema: deep as never }] }).length,
    ).toBeGreaterThan(0)
  })
})
