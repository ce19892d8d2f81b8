// How often a tool's schema is converted and its definition serialised. Counts, not times.
import { entry } from '../library.mjs'
import { agentFactory, messagesOf } from '../peers/ours.mjs'
import { description, inputSchema, scenario, witness } from '../scenario.mjs'
import { provider } from '../provider.mjs'

/** A Standard Schema that counts how often it is asked for its JSON Schema. */
function counted(schema, counts) {
  const standard = schema['~standard']
  const count = (convert) => (options) => {
    counts.conversions++
    return convert(options)
  }
  const jsonSchema = { input: count(standard.jsonSchema.input), output: count(standard.jsonSchema.output) }
  return { ...schema, '~standard': { ...standard, jsonSchema } }
}

/** Counts the calls of `JSON.stringify` whose text has the tool's description, while `work` runs. */
async function serialised(work) {
  const stringify = JSON.stringify
  let count = 0
  JSON.stringify = (...given) => {
    const text = stringify(...given)
    if (typeof text === 'string' && text.includes(description)) count++
    return text
  }
  try {
    await work()
  } finally {
    JSON.stringify = stringify
  }
  return count
}

/** Two runs of `steps` steps each with one agent. */
async function twice(wire, steps) {
  const { jsonSchema } = await entry('./json-schema')
  const makeAgent = await agentFactory(wire)
  const chosen = scenario(`loop${steps}@${wire}`)
  const counts = { conversions: 0 }
  let atSetUp = 0
  let model
  let seen
  const serialisations = await serialised(async () => {
    const one = makeAgent({
      fetch: (...given) => model.fetch(...given),
      work: (input) => seen.work(input),
      input: counted(jsonSchema(inputSchema), counts),
    })
    atSetUp = counts.conversions
    for (let round = 0; round < 2; round++) {
      model = provider(chosen)
      seen = witness(chosen, model)
      const run = one.run(messagesOf(chosen))
      for await (const event of run) if (event.type === 'text-delta') seen.onText(event.delta)
      seen.check()
    }
  })
  return { runs: 2, steps, atSetUp, inRuns: counts.conversions - atSetUp, serialisations }
}

export const definitions = async () => ({
  openai: await twice('openai', 50),
  anthropic: await twice('anthropic', 50),
})
