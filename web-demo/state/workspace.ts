// What a new workspace holds, so that the first tasks have something to work on.

export const seedFiles: Readonly<Record<string, string>> = {
  '/notes.md': `# Release notes

## Open tasks

- [ ] write the release text
- [x] fix the reconnect bug
- [ ] ask Ana about the logo
- [ ] measure the start-up time
- [x] update the changelog

## Ideas

- a dark logo for the dark theme
- shorter error messages
`,
  '/data.csv': `region,quarter,orders,revenue
north,Q1,412,18540.50
north,Q2,455,20110.00
south,Q1,301,12990.75
south,Q2,338,14875.20
east,Q1,188,8120.00
east,Q2,240,10410.90
west,Q1,520,24310.40
west,Q2,497,23005.10
`,
  '/src/main.ts': `import { connect } from './connect.ts'

// TODO: read the address from the settings
const address = 'https://api.example.com'

export async function main(): Promise<void> {
  const link = await connect(address)
  console.log(link.status)
}
`,
  '/src/connect.ts': `export interface Link {
  readonly status: 'open' | 'closed'
}

// TODO: try again after a lost connection
export async function connect(address: string): Promise<Link> {
  if (!address.startsWith('https://')) throw new Error('Wanted an https address')
  return { status: 'open' }
}
`,
  '/src/config.json': `{
  "name": "sample",
  "retries": 3,
  "regions": ["north", "south", "east", "west"]
}
`,
}
