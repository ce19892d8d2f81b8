// Node, Deno and Bun: runs the suite and prints its report. Needs no permission.
import { report } from './suite.js'

console.log(await report())
