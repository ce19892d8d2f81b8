// The plumbing alone: the same requests, bodies read to their end, nothing parsed. What it costs no peer can save.
import { callsOf } from '../scenario.mjs'

export const load =
  async () =>
  async (scenario, { fetch, onText, work }) => {
    for (let step = 0; step <= scenario.steps; step++) {
      const isLast = step === scenario.steps
      const response = await fetch('http://provider.invalid/v1', { method: 'POST', body: '{}' })
      const reader = response.body.getReader()
      let isFirst = true
      while (!(await reader.read()).done) {
        if (isFirst && isLast) onText(scenario.text)
        isFirst = false
      }
      if (!isLast) for (const { input } of callsOf(scenario, step)) work(input)
    }
  }
