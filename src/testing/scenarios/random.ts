// Random conversations: the same seeds in every environment, so that their traces are compared like any other.
import { randomConversation } from '../random/conversation.ts'
import type { Scenario } from '../kit.ts'

const perScenario = 5

/** A few at a time, as each scenario has its kit and its limit of time. */
const fromSeed = (first: number): Scenario => ({
  name: `random conversations from seed ${first} leave valid transcripts`,
  run: async (kit) => {
    for (let seed = first; seed < first + perScenario; seed++) await randomConversation(kit, seed, { isClocked: true })
  },
})

export const randomScenarios: readonly Scenario[] = [1, 101, 201, 301, 401, 501].map(fromSeed)
