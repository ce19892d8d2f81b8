import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { isSameloopError } from '../../src/error/error.ts'
import { jsonSchema } from '../../src/schema/check.ts'
import { findProblems } from '../../src/schema/keywords.ts'
import type { JsonSchema, StandardResult } from '../../src/schema/schema.ts'

interface Group {
  description: string
  schema: JsonSchema | boolean
  tests: { description: string; data: unknown; valid: boolean }[]
}

const root = fileURLToPath(new URL('../../../shared/suites/json-schema/tests/', import.meta.url))
const drafts = [
  { folder: 'draft2020-12', draft: '2020-12' },
  { folder: 'draft7', draft: '7' },
] as const

interface Score {
  right: number
  wrong: string[]
  refused: number
  keywordFalseAlarms: string[]
}

function readGroups(folder: string): { file: string; group: Group }[] {
  return readdirSync(root + folder)
    .filter((file) => file.endsWith('.json'))
    .flatMap((file) =>
      (JSON.parse(readFileSync(`${root}${folder}/${file}`, 'utf8')) as Group[]).map((group) => ({ file, group })),
    )
}

function score(folder: string, draft: '7' | '2020-12'): Score {
  const total: Score = { right: 0, wrong: [], refused: 0, keywordFalseAlarms: [] }
  for (const { file, group } of readGroups(folder)) {
    if (typeof group.schema === 'boolean') continue
    let validate
    try {
      validate = jsonSchema(group.schema, { draft })['~standard'].validate
    } catch (error) {
      if (!isSameloopError(error)) throw error
      total.refused += group.tests.length
      continue
    }
    for (const test of group.tests) {
      const valid = (validate(test.data) as StandardResult<unknown>).issues === undefined
      if (valid === test.valid) total.right++
      else total.wrong.push(`${file}: ${group.description}: ${test.description}`)
      if (test.valid && findProblems(group.schema, test.data).length > 0) {
        total.keywordFalseAlarms.push(`${file}: ${group.description}: ${test.description}`)
      }
    }
  }
  return total
}

describe.skipIf(!existsSync(root))(
  'jsonSchema() against the public JSON Schema suite (skipped where the suite is absent)',
  () => {
    it.each(drafts)('agrees with $folder', ({ folder, draft }) => {
      const { right, wrong, refused, keywordFalseAlarms } = score(folder, draft)
      console.log(`${folder}: ${right} right, ${wrong.length} wrong, ${refused} in schemas we refuse`)
      for (const line of wrong) console.log(`  wrong: ${line}`)
      for (const line of keywordFalseAlarms) console.log(`  false alarm: ${line}`)
      expect(right / (right + wrong.length)).toBeGreaterThan(0.98)
    })
  },
)
