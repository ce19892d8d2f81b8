// Random scripts of a model: text, calls of every kind, broken streams, odd ends.
import type { ScriptedCall, ScriptedItem, ScriptedTurn } from '../../model/scripted-model.ts'
import type { Random } from './prng.ts'
import { randomArguments } from './tools.ts'
import type { Arguments, RandomTool } from './tools.ts'

/** What was put into the arguments, by tool and text. */
export type Sent = Map<string, Arguments['kind']>

const ends: readonly ScriptedItem[] = [
  { error: { code: 'model-connection', message: 'The line is dead', retryable: true } },
  { error: { code: 'model-request', message: 'The model refuses' } },
  { finish: 'length' },
  { finish: 'refusal' },
]

export function randomScript(random: Random, tools: readonly RandomTool[], sent: Sent): ScriptedTurn[] {
  const turns = Array.from({ length: random.int(1, 5) }, (): ScriptedTurn => {
    const items = Array.from({ length: random.int(1, 3) }, () => randomItem(random, tools, sent))
    return random.chance(0.08) ? [...items, random.pick(ends)] : items
  })
  return random.chance(0.9) ? [...turns, 'Done.', 'Done again.'] : turns
}

function randomItem(random: Random, tools: readonly RandomTool[], sent: Sent): ScriptedItem {
  const kind = random.weighted({ calls: 6, text: 2, reasoning: 1, wait: 1, usage: 1 })
  if (kind === 'text') return 'Let me see.'
  if (kind === 'reasoning') return { reasoning: 'Hm.' }
  if (kind === 'wait') return { wait: random.int(1, 40) }
  if (kind === 'usage') return { usage: { input: 10, output: 2, total: 12 } }
  const calls = Array.from({ length: random.int(1, 4) }, () => randomCall(random, tools, sent))
  // The same once more, as some models send it.
  return { calls: random.chance(0.15) ? [...calls, ...calls.slice(0, 1)] : calls }
}

function randomCall(random: Random, tools: readonly RandomTool[], sent: Sent): ScriptedCall {
  const callId = random.weighted({ own: 8, same: 1, other: 1, none: 1 })
  const id = { own: {}, same: { callId: 'x' }, other: { callId: 'y' }, none: { callId: null } }[callId]
  if (random.chance(0.06)) return { name: random.pick(['tool_9', '__proto__', 'constructor', '']), ...id }
  const chosen = random.pick(tools)
  const { text, kind } = randomArguments(chosen, random)
  sent.set(`${chosen.tool.name} ${text}`, kind)
  return { name: chosen.tool.name, raw: text, ...id }
}
