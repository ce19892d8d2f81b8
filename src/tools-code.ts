// Tools that run programs, apart from the others: most agents need none.
export { codeTools } from './builtin/code-tools.ts'
export type { CodeToolsOptions } from './builtin/code-tools.ts'
