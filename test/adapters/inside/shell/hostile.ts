// Scripts that mean no good, or were written by a model on a bad day: each ends in words, and the shell goes on after it.
import { check, equal } from '../../../../src/testing/assertion.ts'
import type { ContractCase } from '../../../../src/testing/contract/case.ts'
import { webHost } from '../../../../src/host/web-host.ts'
import type { ExecResult, Sandbox } from '../../../../src/sandbox/sandbox.ts'
import { memoryFiles } from '../../../../src/vfs/memory.ts'
import { quota } from '../../../../src/wrapper/quota.ts'
import { say } from '../report.ts'
import { sampled } from '../sampled.ts'
import type { MakeShell } from './case.ts'

/** How a script must end: with another code than 0, or in any way. */
type Expected = 'fails' | 'ends'

const trap38 = `${'a'.repeat(38)}!`

const scripts: Readonly<Record<string, readonly [script: string, expected: Expected]>> = {
  'loops without end': ['while true; do :; done', 'fails'],
  'loops by number': ['for ((;;)); do :; done', 'fails'],
  'loops until never': ['until false; do x=1; done', 'fails'],
  'forks for ever': [':(){ :|:& };:', 'ends'],
  'calls itself': ['f() { f; }; f', 'fails'],
  'calls itself twice': ['f() { f & f; }; f; f | f', 'fails'],
  'sources itself': ['echo ". ./s" > s; . ./s', 'fails'],
  'runs itself': ['echo "bash s" > s; bash s', 'fails'],
  'evaluates itself': ['x=\'eval "$x"\'; eval "$x"', 'fails'],
  'doubles a variable': ['x=a; while true; do x=$x$x; done', 'fails'],
  'doubles a file': ['echo aaaaaaaaaaaaaaaa > f; while true; do cat f f > g; mv g f; done', 'fails'],
  'doubles an array': ['a=(1); while true; do a+=("${a[@]}"); done', 'fails'],
  'fills its own /tmp': ['while true; do head -c 4000000 f >> /tmp/f || break; done; rm -f /tmp/f; exit 1', 'fails'],
  'counts far': ['seq 1 100000000 | tail -1', 'fails'],
  'expands a brace far': ['echo {1..100000000} | wc -c', 'ends'],
  'expands braces in braces': ['echo {1..99}{1..99}{1..99}{1..99} | wc -c', 'ends'],
  'prints without end': ['while true; do echo yyyyyyyyyyyyyyyyyyyyyyyyyyyy; done', 'fails'],
  'feeds a pipe without end': ['while true; do echo y; done | head -c 10', 'fails'],
  'asks for a wide number': ["printf '%999999999d' 1 | wc -c", 'ends'],
  'repeats a format': ["printf 'x%.0s' {1..9999} {1..9999} | wc -c", 'ends'],
  'reads what it writes': ['echo x > f; cat f >> f; tail -f f >> f', 'ends'],
  'waits long': ['sleep 1000', 'fails'],
  'waits in the background': ['sleep 1000 & wait', 'fails'],
  'loops in awk': ["awk 'BEGIN { while (1); }'", 'fails'],
  'doubles in awk': ['awk \'BEGIN { s = "a"; while (1) s = s s }\'', 'fails'],
  'recurses in awk': ["awk 'function f(x) { return f(x + 1) } BEGIN { f(1) }'", 'fails'],
  'loops in sed': ["echo a | sed ':a;ba'", 'fails'],
  'doubles in sed': ["echo a | sed ':a;s/.*/&&/;ba'", 'fails'],
  'counts in jq': ["jq -n '[range(1e9)] | length'", 'fails'],
  'recurses in jq': ["jq -n 'def f: f; f'", 'fails'],
  'doubles in jq': ['jq -n \'"a" | until(false; . + .)\'', 'fails'],
  'nests in jq': [`echo '${'['.repeat(5000)}' | jq .`, 'fails'],
  'backtracks in grep': [`echo ${trap38} | grep -E '^(a+)+$'`, 'fails'],
  'backtracks in a test': [`[[ ${trap38} =~ ^(a+)+$ ]]`, 'fails'],
  'backtracks in sed': [`echo ${trap38} | sed -E 's/^(a+)+$/x/'`, 'ends'],
  'backtracks in awk': [`echo ${trap38} | awk '/^(a+)+$/'`, 'ends'],
  'backtracks in a glob': [`case ${'a'.repeat(60)} in ${'*a'.repeat(25)}*b) echo x;; esac`, 'ends'],
  'backtracks in an extended glob': [`shopt -s extglob; [[ ${trap38} == +(+(a)) ]]`, 'ends'],
  'calculates far': [
    "bc <<< '9^9^9^9'; bc <<< '2^99999999999'; bc <<< 'scale=999999999; 1/3'; echo $((2**9999999))",
    'ends',
  ],
  'nests in bc': [`bc <<< '${'('.repeat(20_000)}1'`, 'ends'],
  'asks xargs for forks': ['seq 5000 | xargs -n1 -P9999 sh -c "seq 5000 | xargs -n1 echo > /dev/null"', 'fails'],
  'chains xargs': ['echo x | xargs xargs xargs xargs xargs xargs -I{} sh -c "echo {} | xargs -I{} sh -c true"', 'ends'],
  'says yes': ['yes > /dev/null; yes | yes | wc -c; yes "$(printf %9999d 1)" | wc -c', 'ends'],
  'packs a bomb': [
    'yes 0 2>/dev/null | head -c 200000 > z; for i in 1 2 3 4 5 6 7; do cat z z > y; mv y z; done; gzip -k z; gzip -k z.gz; for i in 1 2; do gunzip -c z.gz.gz | gunzip -c | wc -c; done; tar czf t z z z z z z; tar xzOf t | wc -c',
    'ends',
  ],
  'unpacks out of its place': ["printf '../../x' > n; tar cf t ../../../etc 2>&1; tar xf t -C /; ls / /etc", 'ends'],
  'nests deep': ['eval "$(printf \'(%.0s\' {1..2000})"', 'fails'],
  'nests groups deep': [`${'{ '.repeat(2000)}echo x`, 'fails'],
  'nests substitutions deep': [`echo ${'$('.repeat(500)}echo x${')'.repeat(500)}`, 'fails'],
  'nests sums deep': [`echo $((${'('.repeat(5000)}1${')'.repeat(5000)}))`, 'fails'],
  'looks for what is not its': [
    'cat /etc/passwd /proc/self/environ /proc/1/cmdline ../../../../../../etc/shadow',
    'fails',
  ],
  'links to what is not its': ['ln -s / l; ln -s /etc/passwd /tmp/p; cat l/etc/passwd /tmp/p', 'fails'],
  'writes into the system': ['echo x > /bin/ls; echo x > /dev/sda; rm -rf /bin /dev /usr; ls > /dev/null', 'ends'],
  'plays with prototypes': [
    'declare -A m; m[__proto__]=x; m[constructor]=y; export __proto__=z toString=1; echo ${m[__proto__]} $__proto__; env; awk \'BEGIN { a["__proto__"]["x"] = 1; print a["__proto__"] }\'; jq -n \'{"__proto__": {"polluted": 1}} | .polluted\'; alias __proto__=x; hash -p constructor x',
    'ends',
  ],
  'asks for a command of a prototype': ['constructor; __proto__; toString; valueOf; hasOwnProperty x', 'fails'],
  'takes its exit for another': ['exit() { echo no; }; trap "while :; do :; done" EXIT; exit 3', 'fails'],
  'traps its trap': ['f() { trap f EXIT; exit 1; }; trap f EXIT; f', 'fails'],
  'closes what it prints to': ['exec 1>&- 2>&-; echo x; echo y >&2; exec 1>/dev/.stdout; rm -f /dev/.stdout', 'ends'],
  'prints to a device of the shell': ['while true; do echo x >> /dev/.stderr; done', 'fails'],
  'removes everything': ['rm -rf / /* . ..; ls', 'ends'],
  'names files badly': [
    'echo x > "$(printf \'a\\nb\')"; echo x > "$(printf %300d 1)"; mkdir -p "$(printf \'a/%.0s\' {1..3000})"; touch -- -rf; ls',
    'ends',
  ],
}

/** Milliseconds between two looks of the thread. */
const tickMs = 20

/** Runs a command while the thread looks around; gives the longest time in which it could not. */
async function watched(
  sandbox: Sandbox,
  command: string,
): Promise<{ readonly result: ExecResult; readonly gap: number }> {
  const fs = quota(memoryFiles(), { bytes: 8_000_000, files: 5000 })
  let [isOver, last, gap] = [false, webHost.now(), 0]
  const look = (): void => {
    gap = Math.max(gap, webHost.now() - last)
    last = webHost.now()
    if (!isOver) webHost.timer(tickMs, look)
  }
  webHost.timer(tickMs, look)
  await sandbox.exec({ command: 'mkdir /h; echo kept > /kept', fs, cwd: '/' })
  const result = await sandbox.exec({ command, fs, cwd: '/h', timeoutMs: 2000 })
  isOver = true
  const kept = await fs.stat('/kept')
  // What removes everything may do that.
  if (!command.startsWith('rm -rf /')) equal(kept?.type, 'file', 'What was written before')
  return { result, gap: Math.max(gap, webHost.now() - last) }
}

/** All of them in one shell, as a conversation would have it. */
export function hostileCases(where: string, make: MakeShell): readonly ContractCase[] {
  let shared: Sandbox | undefined
  let longest = 0
  const cases = sampled(Object.entries(scripts)).map(([name, [script, expected]]): ContractCase => ({
    name: `survives what ${name}`,
    skipped: undefined,
    run: async () => {
      const sandbox = (shared ??= make())
      await sandbox.warm?.()
      const { result, gap } = await watched(sandbox, script)
      longest = Math.max(longest, gap)
      if (expected === 'fails')
        check(result.exitCode !== 0, `an exit code that is not 0, got ${result.stdout.slice(0, 200)}`)
      check(result.stdout.length <= 2 ** 21, 'a bounded output')
      const next = await sandbox.exec({ command: 'echo hello' })
      equal([next.exitCode, next.stdout], [0, 'hello\n'], 'The next command')
      equal(({} as { readonly polluted?: unknown }).polluted, undefined, 'A prototype')
    },
  }))
  const end: ContractCase = {
    name: 'leaves nothing behind',
    skipped: undefined,
    run: async () => {
      await shared?.dispose()
      say(`shell ${where}: with ${cases.length} hostile scripts the thread was held up for ${longest} ms at most`)
    },
  }
  return [...cases, end]
}
