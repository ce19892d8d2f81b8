// Node, Deno and Bun: goes on with runs that were suspended elsewhere and prints what came of it. Needs no permission.
import { luggage } from './luggage.js'
import { arrive } from './suite.js'

console.log(await arrive(luggage))
