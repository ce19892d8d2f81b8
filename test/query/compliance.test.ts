// The public compliance tests of JMESPath.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { isSameloopError } from '../../src/error/error.ts'
import { query } from '../../src/query/query.ts'

interface Group {
  readonly given: unknown
  readonly cases: readonly {
    readonly expression: string
    readonly result?: unknown
    readonly error?: string
    readonly bench?: string
  }[]
}

const root = fileURLToPath(new URL('../../../shared/suites/jmespath/tests/compliance/', import.meta.url))

function outcome(given: unknown, expression: string): unknown {
  try {
    return { result: JSON.parse(JSON.stringify(query(given, expression))) as unknown }
  } catch (error) {
    if (!isSameloopError(error)) throw error
    return { error: error.data['kind'] }
  }
}

describe.skipIf(!existsSync(root))(
  'query() against the public JMESPath suite (skipped where the suite is absent)',
  () => {
    it('gives the result or the kind of error that each of its tests says', () => {
      let total = 0
      const wrong: string[] = []
      for (const file of readdirSync(root)) {
        for (const { given, cases } of JSON.parse(readFileSync(root + file, 'utf8')) as Group[]) {
          for (const { expression, result, error, bench } of cases) {
            if (bench !== undefined) continue
            total += 1
            const wanted = error === undefined ? { result } : { error }
            const got = outcome(given, expression)
            if (JSON.stringify(got) !== JSON.stringify(wanted) && !same(got, wanted))
              wrong.push(`${file}: ${expression}: wanted ${JSON.stringify(wanted)}, got ${JSON.stringify(got)}`)
          }
        }
      }
      console.log(`JMESPath: ${total - wrong.length} of ${total} right`)
      expect(wrong).toEqual([])
      expect(total).toBeGreaterThanOrEqual(892)
    })
  },
)

function same(left: unknown, right: unknown): boolean {
  try {
    expect(left).toEqual(right)
    return true
  } catch {
    return false
  }
}
