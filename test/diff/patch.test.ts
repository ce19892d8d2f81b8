import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countChanges, diff } from '../../src/diff/diff.ts'
import { applyPatch } from '../../src/diff/patch.ts'

const lines = (...all: string[]) => all.map((line) => `${line}\n`).join('')
const refused = expect.objectContaining({ code: 'vfs-invalid' })

describe('diff()', () => {
  it('shows what changed with lines around it', () => {
    const before = lines('1', '2', '3', '4', '5', '6', '7', '8', '9')
    const after = lines('1', '2', '3', '4', 'five', '6', '7', '8', '9')
    expect(diff(before, after, { from: 'a/f', to: 'b/f' })).toBe(
      '--- a/f\n+++ b/f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n',
    )
  })

  it('joins changes that are near and parts those that are far', () => {
    const before = Array.from({ length: 30 }, (_, index) => `${index}\n`)
    const after = before.map((line, index) => ([5, 12, 25].includes(index) ? `x${line}` : line))
    expect(diff(before.join(''), after.join('')).match(/^@@.*@@$/gm)).toEqual([
      '@@ -3,14 +3,14 @@',
      '@@ -23,7 +23,7 @@',
    ])
  })

  it('marks a missing end of the last line', () => {
    expect(diff('a', 'a\n')).toBe('--- a\n+++ b\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n')
    expect(diff('', 'a\n')).toBe('--- a\n+++ b\n@@ -0,0 +1 @@\n+a\n')
    expect(diff('a\n', '')).toBe('--- a\n+++ b\n@@ -1 +0,0 @@\n-a\n')
  })

  it('is empty for equal texts and quotes odd names', () => {
    expect(diff('a', 'a')).toBe('')
    expect(diff('a', 'b', { from: 'x\n@@ -1 @@' })).toMatch(/^--- "x\\n@@ -1 @@"\n/)
  })

  it('stays shortest for small changes and bounded for large ones', () => {
    const before = Array.from({ length: 3000 }, (_, index) => `old ${index}\n`).join('')
    const after = Array.from({ length: 3000 }, (_, index) => `new ${index}\n`).join('')
    expect(countChanges(diff(before, after))).toEqual({ added: 3000, removed: 3000 })
    expect(countChanges(diff(before, before.replace('old 1500\n', '')))).toEqual({ added: 0, removed: 1 })
  })

  it('gives the shortest script', () => {
    // The textbook pair of Myers' paper: five changes.
    const [a, b] = [lines(...'ABCABBA'), lines(...'CBABAC')]
    const { added, removed } = countChanges(diff(a, b))
    expect(added + removed).toBe(5)
  })
})

describe('applyPatch()', () => {
  it('turns the one text into the other, for every diff', () => {
    const text = fc
      .array(fc.constantFrom('a\n', 'b\n', 'c\n', '\n', '--- x\n', '+++ y\n', '@@ z\n', 'é'), { maxLength: 25 })
      .map((all) => all.join(''))
    fc.assert(
      fc.property(text, text, fc.integer({ min: 0, max: 4 }), (before, after, context) => {
        const patch = diff(before, after, { context })
        if (patch !== '') expect([before, patch, applyPatch(before, patch)]).toEqual([before, patch, after])
      }),
      { numRuns: 1500, seed: 3 },
    )
  })

  it('finds a hunk whose line number is off, where its lines are in one place only', () => {
    const before = lines('a', 'b', 'c', 'd', 'e')
    expect(applyPatch(before, '@@ -40,3 +40,3 @@\n c\n-d\n+D\n e\n')).toBe(lines('a', 'b', 'c', 'D', 'e'))
    expect(applyPatch(before, '@@ @@\n-d\n+D\n')).toBe(lines('a', 'b', 'c', 'D', 'e'))
    expect(() => applyPatch(lines('x', 'y', 'x', 'y'), '@@ -9 +9 @@\n-x\n+X\n')).toThrow(
      'at several places (lines 1, 3',
    )
  })

  it('counts places that overlap, and stays linear where every line is the same', () => {
    expect(() => applyPatch('a\na\na\n', '@@ -9,2 +9 @@\n a\n-a\n')).toThrow('at several places (lines 1, 2')
    expect(() => applyPatch('a\n'.repeat(400_000), `@@ -9 +9 @@\n${' a\n'.repeat(200_000)}-b\n`)).toThrow('hunk 1')
  })

  it('looks for misplaced hunks within a measure', () => {
    const names = Array.from({ length: 60 }, (_, index) => `b${index}`)
    const before = 'a\n'.repeat(2_500_000) + lines(...names)
    const patch = (count: number) =>
      names
        .slice(0, count)
        .map((name) => `@@ @@\n-${name}\n+c\n`)
        .join('')
    expect(applyPatch(before, patch(2)).slice(5_000_000)).toBe(lines('c', 'c', ...names.slice(2)))
    expect(() => applyPatch(before, patch(60))).toThrow('too many of its hunks')
  })

  it('cuts what it quotes without splitting a pair', () => {
    const line = `${'x'.repeat(119)}😀😀`
    expect(() => applyPatch(`${line}\n`, '@@ -1 +1 @@\n-a\n+b\n')).toThrow(`line 1 is "${'x'.repeat(119)}…", the hunk`)
  })

  it('takes several hunks, and a drift between them', () => {
    const before = Array.from({ length: 20 }, (_, index) => `${index + 1}\n`).join('')
    const patch = '--- a\n+++ b\n@@ -1,2 +1,4 @@\n 1\n+new\n+new\n 2\n@@ -18,3 +20,2 @@\n 18\n-19\n 20\n'
    expect(applyPatch(before, patch)).toBe(before.replace('1\n', '1\nnew\nnew\n').replace('19\n', ''))
    expect(applyPatch(`zero\n${before}`, patch)).toContain('18\n20\n')
  })

  it('forgives blank context lines without their space and miscounted headers', () => {
    expect(applyPatch('a\n\nb\n', '@@ -1,9 +1,9 @@\n a\n\n-b\n+c\n')).toBe('a\n\nc\n')
  })

  it('names the hunk that does not fit and what is there instead', () => {
    const error = (() => {
      try {
        return applyPatch(lines('a', 'b', 'c'), '@@ -1 +1 @@\n-a\n+A\n@@ -2,2 +2,2 @@\n b\n-x\n+y\n')
      } catch (thrown) {
        return thrown
      }
    })()
    expect(error).toMatchObject({ code: 'vfs-invalid', data: { hunk: 2 } })
    expect((error as Error).message).toBe('Cannot apply hunk 2 (@@ -2,2 +2,2 @@): line 3 is "c", the hunk has "x"')
  })

  it('keeps "\\r\\n" line ends', () => {
    expect(applyPatch('a\r\nb\r\n', '@@ -1,2 +1,3 @@\n a\n-b\n+B\n+C\n')).toBe('a\r\nB\r\nC\r\n')
    expect(applyPatch('a\nb\n', '@@ -1,2 +1,2 @@\r\n a\r\n-b\r\n+B\r\n')).toBe('a\nB\n')
  })

  it('keeps a last line without an end where the patch does not touch it', () => {
    expect(applyPatch('a\nb', '@@ -1,2 +1,2 @@\n-a\n+A\n b\n')).toBe('A\nb')
    expect(applyPatch('a', '@@ -1 +1,2 @@\n a\n\\ No newline at end of file\n+b\n')).toBe('a\nb\n')
  })

  it('makes a new file from lines that are only added', () => {
    expect(applyPatch('', '--- /dev/null\n+++ b/f\n@@ -0,0 +1,2 @@\n+a\n+b\n')).toBe('a\nb\n')
  })

  it('refuses no hunk, several files, and lines that are none of a patch', () => {
    expect(() => applyPatch('a\n', 'hello')).toThrow('it has no hunk')
    expect(() => applyPatch('a\n', '--- a\n+++ b\n@@ -1 +1 @@\n-a\n+A\n--- c\n+++ d\n@@ -1 +1 @@\n-x\n+y\n')).toThrow(
      'several files',
    )
    expect(() => applyPatch('a\n', '@@ -1 +1 @@\n-a\n*b\n')).toThrow('its line 2 starts with neither')
    expect(() => applyPatch('a\n', '@@ -1 +1 @@\n'.repeat(1001))).toThrow(refused)
    expect(() => applyPatch('a\nb\n', '@@ @@\n+new\n')).toThrow('add a line of context')
  })

  it('does not delete text that only looks like a file header', () => {
    expect(applyPatch(lines('-- x', 'y'), '@@ -1,2 +1,2 @@\n--- x\n+++ x\n y\n')).toBe(lines('++ x', 'y'))
  })
})
