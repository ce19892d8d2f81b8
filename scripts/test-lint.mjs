// `npm run test:lint`: the linter with type knowledge, and the formatter's check.
import { closePart, countsOf, root, run, seconds, tool } from './project.mjs'

const checks = [
  {
    what: 'oxlint',
    args: [tool('oxlint/bin/oxlint'), '--type-aware', '--report-unused-disable-directives', '--deny-warnings', root],
  },
  { what: 'oxfmt', args: [tool('oxfmt/bin/oxfmt'), '--check', root] },
]

const outcomes = []
for (const { what, args } of checks) {
  const begun = performance.now()
  const { code, output } = await run(process.execPath, args)
  console.log(`lint: ${what}: ${code === 0 ? 'clean' : 'problems'} (${seconds(begun)})`)
  if (code !== 0) console.log(output.trimEnd())
  outcomes.push(code === 0 ? 'passed' : 'failed')
}
closePart(countsOf(outcomes))
