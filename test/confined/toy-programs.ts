// What the sandbox contract needs, in the toy language.
import type { SandboxPrograms } from '../../src/testing/contract/sandbox.ts'

export const toyPrograms: SandboxPrograms = {
  hello: 'print hello',
  fail: 'warn oh\nexit 3',
  read: (path) => `read ${path}`,
  write: (path, text) => `write ${path} ${text}`,
  loop: 'loop',
  wait: 'sleep 600000',
  flood: 'flood',
  chars: (count) => `chars ${count}`,
  where: 'pwd',
  go: (path) => `cd ${path}`,
  variable: (name) => `env ${name}`,
  echo: 'stdin',
  recurse: 'recurse',
  allocate: 'allocate',
}
