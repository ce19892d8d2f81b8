// What is special about this shell: whose files it has, how bytes and errors go through, and the commands that are ours.
import { check, equal, includes } from '../../../../src/testing/assertion.ts'
import type { ContractCase } from '../../../../src/testing/contract/case.ts'
import { answers, shellCase } from './case.ts'
import type { MakeShell } from './case.ts'

export function ownCases(make: MakeShell): readonly ContractCase[] {
  const one = shellCase(make)
  return [
    one('has the paths of the file tools, and shows nothing of its own among them', async (run, fs) => {
      await answers(run, { 'cd /; ls; echo *; pwd': 'w\nw\n/\n' })
      await run('mkdir -p /x/y; echo é > /x/y/z; echo t > /tmp/mine; echo n > /dev/null')
      equal(new TextDecoder().decode(await fs.read('/x/y/z')), 'é\n')
      equal(
        (await fs.list('/')).entries.map(({ name }) => name),
        ['w', 'x'],
      )
      await answers(run, { 'cat /tmp/mine /dev/null; test -e /bin/ls && echo yes': 't\nyes\n' })
      for (const command of ['echo > /usr/x', 'rm /bin/ls', 'mkdir /proc/x', 'mv a.txt /dev/a'])
        check((await run(command)).exitCode !== 0, `a refusal of ${command}`)
    }),
    one('keeps the bytes of files and pipes as they are', async (run, fs) => {
      const bytes = Uint8Array.from({ length: 256 }, (_, index) => index)
      await fs.write('/w/all', bytes)
      await run(
        'cat all > copy; cat all | cat >> copy; cp all third; tail -c 1 all > last; mv third /tmp/t; mv /tmp/t back',
      )
      equal([...(await fs.read('/w/copy'))], [...bytes, ...bytes])
      equal([...(await fs.read('/w/back')), ...(await fs.read('/w/last'))], [...bytes, 255])
      await answers(run, {
        'md5sum < all': 'e2c865db4162bed963bfaa9ef6ac18f0  -\n',
        'base64 all | base64 -d | cmp - all 2>/dev/null || base64 all | base64 -d | md5sum':
          'e2c865db4162bed963bfaa9ef6ac18f0  -\n',
        "printf '\\xff\\x00\\xfe' | base64": '/wD+\n',
        "printf '\\377' | wc -c; printf '\\xc3\\xa9\\n'; printf '%s\\n' ✓": '1\né\n✓\n',
      })
      equal((await run("printf 'a\\xffb'")).stdout, 'a�b')
    }),
    one('says what cannot be opened, and goes on', async (run) => {
      const { stdout, stderr } = await run('echo x > no/y; echo $?; cat < no/y; echo $?; echo x >> a.txt/b; echo $?')
      equal(stdout, '1\n1\n1\n')
      includes(stderr, 'bash: no/y: No such file or directory')
      await answers(run, {
        'if echo x > no/y; then echo yes; else echo no; fi 2>/dev/null': 'no\n',
        'echo x 2>/dev/null > /no/y || echo failed': 'failed\n',
        '{ echo a; } > no/x; (echo b) > no/x; for i in 1; do echo c; done > no/x; echo on': 'on\n',
        'cat nope 2>&1; rm nope 2>&1': [
          "cat: nope: No such file or directory\nrm: cannot remove 'nope': No such file or directory\n",
          1,
        ],
        'ln -s a.txt l 2>&1; test -e l || echo none': 'ln: Links are not supported here\nnone\n',
      })
    }),
    one('runs what trap asks for at the end, however that comes', async (run) => {
      await answers(run, {
        'trap "echo bye" EXIT; echo hi': 'hi\nbye\n',
        'clean() { echo "$x $?"; }; trap clean EXIT; x=1; x=2; exit 4': ['2 4\n', 4],
        'set -e; trap "echo was \\$?" EXIT; echo a; false; echo b': ['a\nwas 1\n', 1],
        'trap "exit 9" EXIT; true': ['', 9],
        'trap "echo no" EXIT; trap - EXIT; trap "echo no" INT': '',
        "trap 'rm -f /tmp/t' EXIT; echo > /tmp/t; trap -p": "trap -- 'rm -f /tmp/t' EXIT\n",
      })
      await answers(run, { 'test -e /tmp/t || echo gone': 'gone\n' })
      includes((await run('trap x ERR')).stderr, 'only EXIT')
    }),
    one('goes on where the last command left off, also after an exit', async (run) => {
      await run('mkdir -p d/e; cd d; (cd /; exit 1); f() { exit 2; }; f')
      equal((await run('pwd', { cwd: undefined })).stdout, '/w/d\n')
    }),
    one('sends output on in its order, wherever it is sent', async (run) => {
      let heard = ''
      await run('echo a; echo b >&2; for i in 1 2; do echo $i; done; { echo c; echo d >&2; } 2>&1 | tr a-z A-Z', {
        onOutput: ({ text }) => void (heard += text),
      })
      equal(heard, 'a\nb\n1\n2\nC\nD\n')
      await answers(run, {
        'exec > log; echo x; exec >&2; cat log': '',
        'exec 3>&1; echo a >&3; echo b': 'a\nb\n',
        'f() { echo f; }; f > /tmp/f; x=$(f); echo $x | cat; cat < <(f); cat /tmp/f': 'f\nf\nf\n',
        'false | true | false; echo ${PIPESTATUS[@]} $?': '1 0 1 1\n',
        'echo e | tee /dev/stderr; echo o > /dev/stdout': 'e\no\n',
      })
    }),
    one('runs scripts that are made executable', async (run) => {
      await run("printf '#!/bin/bash\\nread x; echo $1 $x\\n' > s.sh; chmod +x s.sh")
      await answers(run, {
        'echo in | ./s.sh arg; bash s.sh b <<< c; mv s.sh t.sh; ./t.sh </dev/null': 'arg in\nb c\n\n',
      })
    }),
    ...commandCases(make),
  ]
}

function commandCases(make: MakeShell): readonly ContractCase[] {
  const one = shellCase(make)
  const table = (name: string, rows: Parameters<typeof answers>[1]): ContractCase =>
    one(name, (run) => answers(run, rows))
  return [
    table('has xargs', {
      "printf 'a b\\nc\\n' | xargs -n1": 'a\nb\nc\n',
      "printf 'a b\\nc\\n' | xargs -I{} echo '<{}>' {}": '<a b> a b\n<c> c\n',
      "printf 'a\\0b c\\0' | xargs -0 -n 1 echo": 'a\nb c\n',
      'echo -n a:b | xargs -d: -I% echo %%; seq 5 | xargs -n2 -P4 echo': 'aa\nbb\n1 2\n3 4\n5\n',
      'echo | xargs echo yes; echo | xargs -r echo no; : | xargs -r echo no': 'yes\n',
      "printf '1 2\\n3\\n' | xargs -L1 echo L; echo \"'a b' c\\ d\" | xargs -n1": 'L 1 2\nL 3\na b\nc d\n',
      "echo 'a$&b$$c' | xargs -I{} echo {}": 'a$&b$$c\n',
      'seq 3 | xargs -I{} sh -c "exit {}"': ['', 123],
      'echo a | xargs nonesuch 2>/dev/null': ['', 127],
      'seq 2 | xargs -n1 echo | tac; echo é | xargs echo | wc -c': '2\n1\n3\n',
    }),
    table('has bc', {
      'echo "1+2" | bc; bc <<< "scale=4; 10/3; sqrt(2); 7%3"': '3\n3.3333\n1.4142\n.0001\n',
      'bc <<< "-2^2; 2^100; 2^-2; 10.50; 1.20*3; 0.1-0.3; (1+2)*3"':
        '4\n1267650600228229401496703205376\n0\n10.50\n3.60\n-.2\n9\n',
      'bc <<< "x=5; x*2; x+=1; x; x++; x; 3>2; 3<2; 1&&0; !0"': '10\n6\n6\n7\n1\n0\n0\n1\n',
      'echo "obase=16; 255; obase=2; 10; ibase=16; FF" | bc; echo "1/3" | bc -l':
        'FF\n1010\n11111111\n.33333333333333333333\n',
      'bc <<< "1/0" 2>&1; bc <<< "9^9^9^9" 2>&1; bc <<< "while (1) 1" 2>&1':
        '(standard_in) 1: divide by zero\n(standard_in) 1: a number may have at most 10000 digits\n(standard_in) 1: "while" is not supported here; use awk\n',
    }),
    table('has diff in the notation of ed, and with the lines around', {
      'diff a.txt b.txt': ['2,3c2\n< two\n< three\n---\n> 2\n', 1],
      'diff a.txt a.txt; diff <(echo a) <(echo b)': ['1c1\n< a\n---\n> b\n', 1],
      'echo one | diff - a.txt': ['1a2,3\n> two\n> three\n', 1],
      'diff a.txt - <<< one': ['2,3d1\n< two\n< three\n', 1],
      'printf x | diff - <(printf y)': [
        '1c1\n< x\n\\ No newline at end of file\n---\n> y\n\\ No newline at end of file\n',
        1,
      ],
      'diff -u a.txt b.txt': ['--- a.txt\n+++ b.txt\n@@ -1,3 +1,2 @@\n one\n-two\n-three\n+2\n', 1],
      'diff -q a.txt b.txt': ['Files a.txt and b.txt differ\n', 1],
    }),
    table('names the files of grep -r from where it was asked', {
      'grep -rn two .; cd /; grep -r two .; grep -rc one w | sort':
        './a.txt:2:two\n./w/a.txt:two\nw/a.txt:1\nw/b.txt:1\n',
      'grep -rh two .; grep -r two': 'two\na.txt:two\n',
    }),
    table('has gzip and tar', {
      'echo hi | gzip -c | gunzip -c; gzip -k a.txt; ls; zcat a.txt.gz | md5sum; md5sum < a.txt':
        'hi\na.txt\na.txt.gz\nb.txt\ndeed54b823522e0525693b090363f9df  -\ndeed54b823522e0525693b090363f9df  -\n',
      'mkdir -p d/e; echo x > d/e/f; tar czf /tmp/x.tgz a.txt d; tar tzf /tmp/x.tgz; mkdir o; tar xf /tmp/x.tgz -C o; cat o/d/e/f':
        'a.txt\nd/\nd/e/\nd/e/f\nx\n',
      'tar cf - d | (cd o && tar xf - --strip-components=2); cat o/f; tar cf q.tar --exclude=f d; tar tf q.tar':
        'x\nd/\nd/e/\n',
      'echo no | gunzip 2>&1; tar tf a.txt 2>&1': [
        'gunzip: stdin: not in gzip format\ntar: This does not look like a tar archive\n',
        2,
      ],
    }),
    table('has yes, mktemp and ls of several files', {
      'yes 2>/dev/null | head -2; yes a b 2>/dev/null | tail -1': 'y\ny\na b\n',
      'ls a.txt b.txt': 'a.txt\nb.txt\n',
      't=$(mktemp) && echo x > $t && cat $t; [ -d "$(mktemp -d)" ] && echo d; mktemp /tmp/q.XXXXX | wc -c':
        'x\nd\n13\n',
    }),
  ]
}
