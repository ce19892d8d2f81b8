// What is measured, in which order, with whom.

/** CPU of whole runs; each is a row. */
export const cpuScenarios = [
  'loop10',
  'loop100',
  'loop400',
  'loop100-log',
  'loop400-log',
  'par1',
  'par8',
  'par64',
  'text1000',
  'text1000-16k',
  'args16',
  'args64',
  'args256',
  'args64-live',
  'args256-live',
  'hist1000',
  'loop100@anthropic',
  'text1000@anthropic',
  'text1000-16k@anthropic',
  'args64@anthropic',
]

/** CPU of plans, against bare calls and a rival; each is a row. */
export const planScenarios = ['chain', 'wide', 'each'].flatMap((shape) => [
  ...[100, 1000, 10_000].map((size) => `plan-${shape}-${size}`),
  `plan-${shape}-1000-read`,
  `plan-${shape}-10000-read`,
])

/** Everything else, by the name that `--scenarios` takes: the child's mode, what it plays, and who takes part. */
export const otherScenarios = {
  ttft: { mode: 'ttft', scenario: 'loop0', fresh: 2, key: 'medianUs' },
  cold: { mode: 'cold', scenario: 'loop3', fresh: 7, key: 'cpuMs' },
  import: { mode: 'import', fresh: 7, key: 'cpuMs' },
  'import-core': { mode: 'import-core', only: ['drain', 'ours'], fresh: 7, key: 'cpuMs' },
  heap: { mode: 'heap', scenario: 'loop5', fresh: 1, key: 'kbPerAgent' },
  crowd: { mode: 'crowd', scenario: 'loop5', only: ['floor', 'ours'], fresh: 1, key: 'rssMb', heapMb: 128 },
  checkpoint: { mode: 'checkpoint', only: ['ours'], fresh: 2, key: undefined },
  'journal-append': { mode: 'journal', only: ['ours'], fresh: 2, key: undefined },
  definitions: { mode: 'definitions', only: ['ours'], fresh: 1, key: undefined },
  registry: { mode: 'registry', only: ['ours'], fresh: 2, key: undefined },
}

/** Measured by this process, not by a child of it. */
export const here = ['sizes', 'workerd']

export const allScenarios = [...cpuScenarios, ...Object.keys(otherScenarios), ...planScenarios, ...here]

/** Live views and logs are questions to us alone. */
export const takesPart = (peer, name) =>
  (otherScenarios[name]?.only ?? (/-(live|log)\b/.test(name) ? ['floor', 'ours'] : [peer])).includes(peer)

/** Bare calls have no events, and a rival may take minutes for ten thousand steps. */
export const plansTakePart = (planner, name) =>
  planner === 'ours' || !(planner === 'call' ? name.endsWith('-read') : name.includes('-10000'))
