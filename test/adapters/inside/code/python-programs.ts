// What the sandbox contract needs, in Python.
import type { SandboxPrograms } from '../../../../src/testing/contract/sandbox.ts'

const text = (value: string): string => JSON.stringify(value)

export const pythonPrograms: SandboxPrograms = {
  hello: 'print("hello")',
  fail: 'import sys\nprint("oh", file=sys.stderr)\nsys.exit(3)',
  read: (path) => `print(open(${text(path)}).read())`,
  write: (path, said) => `with open(${text(path)}, "w") as file: file.write(${text(said)})`,
  loop: 'while True: pass',
  wait: 'import asyncio\nawait asyncio.sleep(600)',
  flood: 'while True: print("spam " * 200)',
  chars: (count) => `print("x" * ${count})`,
  where: 'import os\nprint(os.getcwd())',
  go: { lacking: 'a program cannot change the directory of the next' },
  variable: (name) => `import os\nprint(os.environ.get(${text(name)}, ""))`,
  echo: 'import sys\nprint(sys.stdin.read())',
  recurse: 'def again(): again()\nagain()',
  allocate: 'kept = []\nwhile True: kept.append("x" * 1_000_000 + str(len(kept)))',
}
