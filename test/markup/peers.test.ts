// Ours beside the usual pair of libraries, on twenty pages of our own; the table is printed.
import { describe, expect, it } from 'vitest'
import { noPeer } from '../peers/peers.ts'
import { pages } from './pages.ts'
import { ours, peers, score } from './readers.ts'
import type { Score } from './readers.ts'

const theirs = await peers()

const shown = ({ kept, wanted, dropped, unwanted }: Score): string =>
  `${kept}/${wanted} kept, ${dropped}/${unwanted} left out`.padEnd(28)

const sum = (scores: readonly Score[], key: 'kept' | 'dropped'): number =>
  scores.reduce((total, score) => total + score[key], 0)

describe('the main part of a page', () => {
  it.each(pages)('of the kind $name holds what a reader comes for, and nothing that surrounds it', (page) => {
    const { missing, left } = score(page, ours)
    expect({ missing, left }).toEqual({ missing: [], left: [] })
  })

  it.skipIf(theirs === undefined)(
    'is found at least as well as by Readability and Turndown',
    () => {
      const both = pages.map((page) => ({ name: page.name, ours: score(page, ours), theirs: score(page, theirs!) }))
      for (const row of both)
        console.log(`${row.name.padEnd(24)} ours ${shown(row.ours)} Readability and Turndown ${shown(row.theirs)}`)
      const [own, other] = [both.map((row) => row.ours), both.map((row) => row.theirs)]
      expect(sum(own, 'kept')).toBeGreaterThanOrEqual(sum(other, 'kept'))
      expect(sum(own, 'dropped')).toBeGreaterThanOrEqual(sum(other, 'dropped'))
    },
    120_000,
  )

  if (theirs === undefined) console.log(noPeer('Readability'))
})
