// One measurement in a process of its own: `node --expose-gc child.mjs JSON`. The last line it prints is the result.
import { checkpoint } from './measure/checkpoint.mjs'
import { cpu } from './measure/cpu.mjs'
import { definitions } from './measure/definitions.mjs'
import { registry } from './measure/registry.mjs'
import { cold, importCore, imports, ttft } from './measure/first.mjs'
import { journal } from './measure/journal.mjs'
import { crowd, heap } from './measure/memory.mjs'
import { plans } from './measure/plans.mjs'

const modes = {
  cpu,
  ttft,
  cold,
  import: imports,
  'import-core': importCore,
  heap,
  crowd,
  checkpoint,
  definitions,
  registry,
  journal,
  plans,
}

const task = JSON.parse(process.argv[2])
let result
try {
  result = await modes[task.mode](task)
} catch (error) {
  result = { failure: error.message.split('\n')[0].slice(0, 200) }
}
process.stdout.write(`\n@@${JSON.stringify(result)}\n`, () => process.exit(0))
