// The programs of the sandbox contract, for a shell.
import type { SandboxPrograms } from '../../../../src/testing/contract/sandbox.ts'

/** Of the two shells: in a Worker it can be ended, in this thread its own counts end what computes. */
export const shellPrograms = (hardKill: boolean): SandboxPrograms => ({
  hello: 'echo hello',
  fail: 'echo oh >&2; exit 3',
  read: (path) => `cat ${path}`,
  write: (path, text) => `printf %s ${text} > ${path}`,
  // Each step is long enough that time is over before the count is.
  loop: hardKill
    ? 'while :; do seq 1 5000 | sort | md5sum >/dev/null; done'
    : { lacking: 'only its own counts end what computes in this thread' },
  wait: 'sleep 90',
  flood: 'while :; do echo yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy; done',
  chars: (count) => `awk 'BEGIN { s = "x"; while (length(s) < ${count}) s = s s; print substr(s, 1, ${count}) }'`,
  where: 'pwd',
  go: (path) => `cd ${path}`,
  variable: (name) => `echo "$${name}"`,
  echo: 'cat',
  recurse: 'f() { f; }; f',
  allocate: 'x=xxxxxxxx; while :; do x=$x$x; done',
})
