// What the sandbox contract needs, in JavaScript.
import type { SandboxPrograms } from '../../../../src/testing/contract/sandbox.ts'

const text = (value: string): string => JSON.stringify(value)

export const javascriptPrograms: SandboxPrograms = {
  hello: 'console.log("hello")',
  fail: 'console.error("oh")\nexit(3)',
  read: (path) => `console.log(await fs.readText(${text(path)}))`,
  write: (path, said) => `await fs.writeText(${text(path)}, ${text(said)})`,
  loop: 'for (;;);',
  wait: 'await sleep(600_000)',
  flood: 'for (;;) console.log("spam ".repeat(200))',
  chars: (count) => `console.log("x".repeat(${count}))`,
  where: 'console.log(cwd)',
  go: { lacking: 'a program cannot change the directory of the next' },
  variable: (name) => `console.log(env[${text(name)}] ?? "")`,
  echo: 'console.log(stdin)',
  recurse: '(function again() { again() })()',
  allocate: 'const kept = []\nfor (;;) kept.push({ more: [1, 2, 3] })',
}

/** For a sandbox in its caller's thread, where nothing from outside ends what computes. */
export const inThreadPrograms: SandboxPrograms = {
  ...javascriptPrograms,
  loop: { lacking: 'nothing from outside ends what computes in this thread' },
}
