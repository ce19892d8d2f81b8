import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { isSameloopError } from '../../src/error/error.ts'
import { jsonSchema } from '../../src/schema/check.ts'
import { findProblems } from '../../src/schema/keywords.ts'
import type { JsonSchema, StandardResult, StandardSchema } from '../../src/schema/schema.ts'
import { reasons, scores } from './suite-scores.ts'

interface Group {
  readonly description: string
  readonly schema: JsonSchema | boolean
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[]
}

interface Score {
  readonly right: number
  readonly total: number
  readonly wrong: readonly string[]
  /** Tests of schemas that are refused, with the error as the answer. */
  readonly refused: number
  readonly falseAlarms: readonly string[]
}

const root = fileURLToPath(new URL('../../../shared/suites/json-schema/tests/', import.meta.url))
const drafts = { 'draft2020-12': '2020-12', draft7: '7' } as const

/** The schema, or `undefined` where it is refused. */
function schemaOf(schema: JsonSchema | boolean, draft: '7' | '2020-12'): StandardSchema | undefined {
  try {
    return jsonSchema(schema as JsonSchema, { draft })
  } catch (error) {
    if (!isSameloopError(error)) throw error
    return undefined
  }
}

function scoreOf(file: string, draft: '7' | '2020-12'): Score {
  const groups = JSON.parse(readFileSync(root + file, 'utf8')) as readonly Group[]
  let [right, total, refused] = [0, 0, 0]
  const wrong: string[] = []
  const falseAlarms: string[] = []
  for (const { description, schema, tests } of groups) {
    total += tests.length
    const made = schemaOf(schema, draft)
    if (!made) {
      refused += tests.length
      continue
    }
    for (const test of tests) {
      const { issues } = made['~standard'].validate(test.data) as StandardResult<unknown>
      const title = `${file}: ${description}: ${test.description}`
      if ((issues === undefined) === test.valid) right += 1
      else wrong.push(title)
      if (test.valid && findProblems(schema as JsonSchema, test.data).length > 0) falseAlarms.push(title)
    }
  }
  return { right, total, wrong, refused, falseAlarms }
}

describe.skipIf(!existsSync(root))(
  'jsonSchema() against the public JSON Schema suite (skipped where the suite is absent)',
  () => {
    it.each(Object.entries(drafts))('has the score that is written down for each file of %s', (folder, draft) => {
      const files = readdirSync(root + folder, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.json'))
        .map((file) => `${folder}/${file}`)
        .sort()
      const found = files.map((file) => [file, scoreOf(file, draft)] as const)
      const sum = (pick: (score: Score) => number): number => found.reduce((all, [, score]) => all + pick(score), 0)
      for (const [file, { right, total, wrong, refused }] of found)
        if (right < total) console.log(`${file}: ${right} of ${total}, ${wrong.length} wrong, ${refused} refused`)
      console.log(
        `${folder}: ${sum(({ right }) => right)} of ${sum(({ total }) => total)} right, all other files whole`,
      )
      const table = Object.fromEntries(found.map(([file, { right, total }]) => [file, `${right}/${total}`]))
      expect(table).toEqual(
        Object.fromEntries(Object.entries(scores).filter(([file]) => file.startsWith(`${folder}/`))),
      )
      // The search for what to mend takes the key order of choices that are objects as it stands.
      const orders = /const with object: same object with different property order is valid$/
      expect(found.flatMap(([, { falseAlarms }]) => falseAlarms).filter((title) => !orders.test(title))).toEqual([])
    })
  },
)

describe('the scores that are written down', () => {
  it('have a reason wherever a file is not whole', () => {
    const broken = Object.entries(scores).flatMap(([file, score]) => {
      const [right, total] = score.split('/')
      return right === total ? [] : [file]
    })
    expect(Object.keys(reasons).sort()).toEqual(broken.sort())
  })
})
