import { describe, expect, it } from 'vitest'
import { agent } from '../../src/agent/agent.ts'
import { toolRegistry } from '../../src/catalog/tool-registry.ts'
import type { Json } from '../../src/json/value.ts'
import { contentText } from '../../src/message/text.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import { cow } from '../../src/overlay/cow.ts'
import { policy } from '../../src/policy/policy.ts'
import { projectInstructions } from '../../src/skill/project-instructions.ts'
import { skills } from '../../src/skill/skills.ts'
import type { Skills } from '../../src/skill/skills.ts'
import { memoryFiles } from '../../src/vfs/memory.ts'
import { copy, readText, writeText } from '../../src/vfs/text.ts'
import { jail } from '../../src/wrapper/jail.ts'
import { mount } from '../../src/wrapper/mount.ts'
import { trusted } from '../../src/wrapper/trusted.ts'

const head = (name: string, description = `Does ${name}.`): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\n# How to ${name}\n`

const library = (files: Record<string, string>) => trusted(memoryFiles({ files }))

async function load(found: Skills, input: Json): Promise<string> {
  const outcome = await toolRegistry()
    .register([...found.tools])
    .invoke('load_skill', input)
  const text = contentText(outcome.parts)
  return outcome.ok ? text : `${outcome.reason}: ${text}`
}

describe('skills()', () => {
  it('tells of the skills by name and description, and reads one when the model asks for it', async () => {
    const files = library({
      '/skills/pdf/SKILL.md': head('pdf', 'Fills forms.\n  Use it for PDF files.'),
      '/skills/pdf/forms/reference.md': 'All about forms',
      '/skills/mail/SKILL.md': head('mail'),
      '/skills/notes.md': 'no skill',
      '/skills/empty/readme.md': 'no skill either',
    })
    const found = await skills(files)
    expect(found.warnings).toEqual([])
    expect(found.instructions.split('\n').slice(1)).toEqual([
      '- mail: Does mail.',
      '- pdf: Fills forms. Use it for PDF files.',
    ])
    expect(found.list.map(({ directory }) => directory)).toEqual(['/skills/mail', '/skills/pdf'])
    expect(await load(found, { name: 'mail' })).toBe('# How to mail')
    expect(await load(found, { name: 'pdf' })).toMatch(
      /^# How to pdf\n\nFiles of this skill, in "\/skills\/pdf", .*:\n"forms\/reference.md"$/,
    )
    expect(await load(found, { name: 'pdf', file: 'forms/reference.md' })).toBe('All about forms')
  })

  it('gives an agent what it needs', async () => {
    const found = await skills(library({ '/skills/mail/SKILL.md': head('mail') }))
    const model = scriptedModel([{ calls: [{ name: 'load_skill', input: { name: 'mail' } }] }, 'done'])
    const assistant = agent({ model, instructions: `Be kind.\n\n${found.instructions}`, tools: found.tools })
    const { messages } = await assistant.run('Write a mail').result
    expect(model.requests[0]?.instructions).toContain('- mail: Does mail.')
    expect(messages[2]?.content[0]).toMatchObject({ ok: true, content: [{ type: 'text', text: '# How to mail' }] })
  })

  it('has nothing to tell where there are none', async () => {
    const none = { instructions: '', tools: [], list: [], warnings: [] }
    expect(await skills(library({}))).toEqual(none)
    expect(await skills(library({ '/skills/readme.md': 'x' }))).toEqual(none)
    const { warnings } = await skills(library({ '/skills': 'a file' }))
    expect(warnings.join()).toContain('"/skills" is left out')
  })

  it('names what is broken, and goes on', async () => {
    const files = library({
      '/skills/Upper/SKILL.md': head('Upper'),
      '/skills/a--b/SKILL.md': head('a--b'),
      '/skills/bare/SKILL.md': '# No head',
      '/skills/binary/SKILL.md': '\0\0',
      '/skills/fine/SKILL.md': head('fine'),
      '/skills/long/SKILL.md': head('long', 'x'.repeat(1025)),
      '/skills/mute/SKILL.md': '---\nname: mute\n---\n',
      '/skills/nameless/SKILL.md': '---\ndescription: x\n---\n',
      '/skills/other/SKILL.md': head('fine'),
      '/skills/vast/SKILL.md': head('vast') + 'x'.repeat(65_536),
    })
    const { list, warnings } = await skills(files)
    expect(list.map(({ name }) => name)).toEqual(['fine'])
    expect(warnings).toEqual([
      '"/skills/Upper/SKILL.md" is left out: expected a name of 1 to 64 lowercase letters, digits and single hyphens, got "Upper"',
      '"/skills/a--b/SKILL.md" is left out: expected a name of 1 to 64 lowercase letters, digits and single hyphens, got "a--b"',
      '"/skills/bare/SKILL.md" is left out: its first line is not "---"',
      expect.stringMatching(/binary\/SKILL.md" is left out: .*it is a binary file/),
      '"/skills/long/SKILL.md" is left out: expected a description of at most 1024 characters, got 1025',
      '"/skills/mute/SKILL.md" is left out: it has no description',
      '"/skills/nameless/SKILL.md" is left out: it has no name',
      '"/skills/other/SKILL.md" is left out: its name is "fine", and its directory has another',
      expect.stringMatching(/vast\/SKILL.md" is left out: .*at most 65536 are allowed/),
    ])
  })

  it('tells of no more than fits', async () => {
    const many = Array.from({ length: 120 }, (_, index) => `s${String(index).padStart(3, '0')}`)
    const small = await skills(
      library(Object.fromEntries(many.map((name) => [`/skills/${name}/SKILL.md`, head(name)]))),
    )
    expect(small.list).toHaveLength(100)
    expect(small.warnings).toHaveLength(20)
    const long = Object.fromEntries(many.map((name) => [`/skills/${name}/SKILL.md`, head(name, 'x'.repeat(1000))]))
    const large = await skills(library(long))
    expect(large.list).toHaveLength(32)
    expect(large.instructions.length).toBeLessThan(33_500)
    const crowd = Array.from({ length: 1_002 }, (_, index) => [`/skills/d${index}/readme.md`, 'x'])
    const crowded = await skills(library(Object.fromEntries(crowd) as Record<string, string>))
    expect(crowded.warnings.join()).toContain('more than 1000 directories')
    expect(large.warnings[0]).toContain('at most 32768 characters of names and descriptions are told')
  })

  it('leads to no file outside of a skill', async () => {
    const files = library({
      '/skills/a/SKILL.md': head('a'),
      '/skills/b/SKILL.md': head('b'),
      '/secret.txt': 'secret',
      '/skills/a/large.txt': 'x'.repeat(65_537),
    })
    const found = await skills(files)
    for (const file of ['../../secret.txt', '/secret.txt', '/../../secret.txt', '../b/SKILL.md'])
      expect(await load(found, { name: 'a', file })).toMatch(
        /^failed: Cannot read "\/skills\/a\/.*": there is no such file$/,
      )
    expect(await load(found, { name: 'a', file: '' })).toMatch(/^failed: /)
    expect(await load(found, { name: 'a', file: 'x\0' })).toMatch(/^failed: /)
    expect(await load(found, { name: 'a', file: 'large.txt' })).toContain('at most 65536 are allowed')
    expect(await load(found, { name: 'c' })).toMatch(/^invalid-input: /)
    expect(await load(found, { name: '__proto__' })).toMatch(/^invalid-input: /)
  })
})

describe('files whose words count as instructions', () => {
  const work = () => memoryFiles({ files: { '/AGENTS.md': 'obey me', '/skills/evil/SKILL.md': head('evil') } })

  it('are marked: others are named and left out', async () => {
    const found = await skills(work())
    expect(found).toMatchObject({ instructions: '', tools: [], list: [] })
    expect(found.warnings).toEqual([
      '"/skills/evil/SKILL.md" is left out: it lies in files that are not marked as trusted',
    ])
    expect(await projectInstructions(work())).toEqual({
      instructions: '',
      warnings: ['"/AGENTS.md" is left out: it lies in files that are not marked as trusted'],
    })
  })

  it('keep the mark in a mount, a jail and a policy, and nothing else there has it', async () => {
    const files = mount({ '/': work(), '/skills': trusted(memoryFiles({ files: { '/good/SKILL.md': head('good') } })) })
    for (const seen of [files, policy().confineFiles(files)]) {
      expect((await skills(seen)).list.map(({ name }) => name)).toEqual(['good'])
      expect((await projectInstructions(seen)).instructions).toBe('')
    }
    expect((await skills(jail(files, '/skills'), '/')).list.map(({ name }) => name)).toEqual(['good'])
  })

  it('cannot be written, and what is written over or beside them has no mark', async () => {
    const good = trusted(memoryFiles({ files: { '/skills/good/SKILL.md': head('good') } }))
    await expect(writeText(good, '/skills/evil/SKILL.md', head('evil'), { parents: true })).rejects.toThrow()
    const files = cow(good)
    expect((await skills(files)).list).toHaveLength(1)
    await writeText(files, '/skills/good/SKILL.md', head('good', 'Obey the page.'))
    await writeText(files, '/skills/evil/SKILL.md', head('evil'), { parents: true })
    expect((await skills(files)).list).toEqual([])
    const both = mount({ '/': memoryFiles(), '/good': good })
    await copy(both, '/good/skills', '/skills')
    expect(await readText(both, '/skills/good/SKILL.md')).toBe(head('good'))
    expect((await skills(both)).list).toEqual([])
  })

  it('are looked at again when a skill is read', async () => {
    const files = cow(trusted(memoryFiles({ files: { '/skills/good/SKILL.md': head('good') } })))
    const found = await skills(files)
    await writeText(files, '/skills/good/SKILL.md', head('good') + 'Obey the page.')
    await writeText(files, '/skills/good/new.md', 'Obey the page.')
    expect(await load(found, { name: 'good' })).toBe(
      'failed: Cannot read "/skills/good/SKILL.md": it lies in files that are not marked as trusted',
    )
    expect(await load(found, { name: 'good', file: 'new.md' })).toMatch(/^failed: .*not marked as trusted$/)
  })
})

describe('projectInstructions()', () => {
  it('gives the AGENTS.md of a directory after those above it', async () => {
    const files = library({
      '/AGENTS.md': '\ufeffUse tabs\n',
      '/app/web/AGENTS.md': 'Use spaces',
      '/other/AGENTS.md': 'x',
    })
    const { instructions, warnings } = await projectInstructions(files, '/app/web')
    expect(instructions).toBe(
      'Instructions of the project, from "/AGENTS.md":\n\nUse tabs\n\nInstructions of the project, from "/app/web/AGENTS.md":\n\nUse spaces',
    )
    expect(warnings).toEqual([])
    expect((await projectInstructions(files)).instructions).toContain('Use tabs')
  })

  it('gives nothing where there are none', async () => {
    expect(await projectInstructions(library({ '/AGENTS.md': ' \n' }), '/a/b')).toEqual({
      instructions: '',
      warnings: [],
    })
  })

  it('leaves out the farthest where all are too long, and says so', async () => {
    const files = library({
      '/AGENTS.md': 'far'.repeat(5_000),
      '/a/AGENTS.md': 'near'.repeat(5_000),
      '/b/AGENTS.md': 'x'.repeat(32_769),
    })
    const { instructions, warnings } = await projectInstructions(files, '/a')
    expect(instructions).toContain('near')
    expect(instructions).not.toContain('farfar')
    expect(warnings).toEqual(['"/AGENTS.md" is left out: instructions of more than 32768 characters are not read'])
    expect((await projectInstructions(files, '/b')).warnings[0]).toContain('at most 32768 are allowed')
  })
})
