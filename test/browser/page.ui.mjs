// The page, as a person uses it: the main job in every browser, and what must not go wrong.
import { deepEqual, equal, ok } from 'node:assert/strict'
import { gate, modelServer } from './page/model-server.mjs'
import {
  answer,
  doMainJob,
  field,
  namelessControls,
  noErrors,
  openPage,
  paste,
  say,
  task,
  useServer,
} from './page/steps.mjs'

export const tests = [
  {
    name: 'does the main job: task, tool card, approval, written file',
    run: async (kit) => {
      const page = await openPage(kit)
      await doMainJob(page)
      await page.click('#tab-run')
      await page.waitForText(/steps 3/, { within: '.meters' })
      ok((await page.text('.bars')).includes('fs_write'), 'the timeline has a bar for the writing')
      await noErrors(page)
    },
  },
  {
    name: 'runs commands over its files, in a Worker that is loaded with the first and ended with what does not end',
    run: async (kit) => {
      const page = await openPage(kit)
      const shells = () =>
        page.evaluate(
          () => performance.getEntriesByType('resource').filter(({ name }) => name.includes('shell-worker')).length,
        )
      await say(page, 'read notes.md')
      await page.waitForText('measure the start-up time', { within: 'sameloop-chat' })
      equal(await shells(), 0, 'nothing of the shell is loaded before a command')
      await say(page, 'run the command grep -rl TODO src | sort | tee found.txt')
      await answer(page, 'a')
      await page.waitForText('src/main.ts', { within: 'sameloop-chat', limitMs: 30_000 })
      await page.waitFor('[data-path="/found.txt"]')
      await say(page, 'run `while true; do :; done`')
      await answer(page, 'a')
      await page.waitForText('exit code 126', { within: 'sameloop-chat', limitMs: 30_000 })
      await say(page, 'run wc -l found.txt')
      await answer(page, 'a')
      await page.waitForText('2 found.txt', { within: 'sameloop-chat', limitMs: 30_000 })
      await noErrors(page)
    },
  },
  {
    name: 'streams the answer of a server piece by piece, and stops it on Esc',
    run: async (kit) => {
      const second = gate()
      const server = await modelServer(async (write, { messages }) => {
        if (messages.at(-1).content.includes('for ever')) return new Promise(() => {})
        write('The **first** half')
        await second.opened
        write(' and the *second*.')
      })
      try {
        const page = await openPage(kit)
        await useServer(page, server.url)
        await say(page, 'Tell me')
        await page.waitForText('The first half', { within: '.say' })
        equal((await page.text('.say')).includes('second'), false, 'the rest is not said yet')
        second.open()
        await page.waitForText('The first half and the second.', { within: '.say' })
        ok((await page.text('sameloop-chat')).includes('made-up'), 'the model that answered is named')
        equal(server.requests[0].authorization, undefined, 'no key is sent where none was given')
        await say(page, 'Think for ever')
        await page.waitFor('.round.stop')
        await page.press('Escape')
        await page.waitForText('Stopped by you', { within: 'sameloop-chat' })
        await noErrors(page)
      } finally {
        await server.close()
      }
    },
  },
  {
    name: 'says why a server cannot be used, in a card and at the test button',
    browsers: ['chromium', 'firefox'],
    run: async (kit) => {
      const server = await modelServer(() => {})
      await server.close()
      const page = await openPage(kit)
      await page.click('.chip')
      await page.click('input[value=openai]')
      await page.fill('#field-address', server.url)
      await page.fill('#field-model', 'made-up')
      await page.click('text=Test')
      await page.waitForText('Check that it runs', { within: '.tested', limitMs: 30_000 })
      await page.click('text=Use this model')
      await say(page, 'Hello')
      await page.waitForText('model-connection', { within: 'sameloop-chat', limitMs: 30_000 })
      ok(await page.exists('text=Try again'), 'the card offers the next step')
    },
  },
  {
    name: 'takes no key for an answer that comes before the question could be read, or while somebody types',
    run: async (kit) => {
      const page = await openPage(kit)
      // The key is pressed at the very moment the question is there.
      await page.evaluate(() => {
        const root = document.querySelector('sameloop-chat').shadowRoot
        const watch = new MutationObserver(() => {
          const question = root.querySelector('[data-question]')
          if (question === null) return
          watch.disconnect()
          for (const repeat of [false, true])
            question.dispatchEvent(new KeyboardEvent('keydown', { key: 'a', repeat, bubbles: true, composed: true }))
          root.host.dataset.pressed = 'yes'
        })
        watch.observe(root, { childList: true, subtree: true })
      })
      await say(page, task)
      await page.waitFor('[data-pressed=yes]')
      await page.waitFor('[data-calm] [data-question]')
      equal(await page.exists('[data-path="/summary.md"]'), false, 'nothing was approved')
      // Words that were meant for the message: only their first letter can be an answer, and this one is none.
      await page.evaluate(() => {
        const question = document.querySelector('sameloop-chat').shadowRoot.querySelector('[data-question]')
        for (const key of 'what a deed')
          question.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, composed: true }))
      })
      await page.waitFor('[data-calm] [data-question]')
      equal(await page.exists('[data-path="/summary.md"]'), false, 'nothing was approved')
      await page.type(field, 'a word')
      equal(await page.exists('[data-question]'), true)
    },
  },
  {
    name: 'shows hidden characters in names, changes and arguments, and the end of what is long',
    run: async (kit) => {
      const page = await openPage(kit)
      const mark = String.fromCharCode(0x202e)
      const raw = (text) => text.includes(mark)
      const contents = `if (admin) { ${mark} }\n${'harmless\n'.repeat(500)}${' '.repeat(900)}the end\n`
      await paste(page, `/fs_write ${JSON.stringify({ path: `a${mark}gpj.sh`, contents })}`)
      await page.waitFor('[data-question]')
      const asked = await page.text('[data-question]')
      ok(asked.includes('a⟨U+202E⟩gpj.sh') && asked.includes('admin) { ⟨U+202E⟩'), asked.slice(0, 300))
      equal(raw(asked), false, 'nothing turns the text of the question around')
      ok(asked.includes('Lines not shown: 102'), asked.slice(-300))
      await page.click('text=Show all (502)')
      await page.waitForText('the end', { within: '.diff' })
      const width = () => {
        const { scrollWidth, clientWidth } = document.querySelector('sameloop-chat').shadowRoot.querySelector('.diff')
        return scrollWidth - clientWidth
      }
      ok((await page.evaluate(width)) <= 0, 'no line goes on beyond the edge')
      await page.click('.ask details summary')
      await page.waitForText('⟨U+202E⟩', { within: '.ask .pairs' })
      await answer(page, 'a')
      await page.waitForGone('[data-question]')
      await page.waitForText('a⟨U+202E⟩gpj.sh', { within: '.tree' })
      equal(raw(await page.text('.tree')), false)
      equal(raw(await page.text('.entries')), false)
      await noErrors(page)
    },
  },
  {
    name: 'offers the whole in the arguments where a change is cut',
    browsers: ['chromium'],
    run: async (kit) => {
      const page = await openPage(kit)
      await page.evaluate(() => {
        const facts = { run: 'r', at: 1, step: 1, callId: 'c', name: 'fs_write', effect: 'local', why: 'tool' }
        const diff = '@@ -0,0 +1,2 @@\n+harmless…\n[the diff is cut: 9 of its 99 characters are shown]\n'
        const input = { path: 'run.sh', contents: 'harmless\nthe tail' }
        const event = { ...facts, type: 'approval-request', seq: 2, input, preview: { summary: 'Write', diff } }
        const session = {
          id: 'made-up',
          records: [
            { type: 'event', event: { type: 'run-start', run: 'r', seq: 1, at: 1 } },
            { type: 'event', event },
          ],
          subscribe: () => () => {},
          stop: () => {},
          close: () => {},
        }
        document.querySelector('sameloop-chat').session = session
      })
      await page.waitForText('too long to be shown whole', { within: '[data-question]' })
      await page.waitForText('the tail', { within: '.ask .pairs' })
    },
  },
  {
    name: 'denies with a reason that the model reads, and writes nothing',
    run: async (kit) => {
      const page = await openPage(kit)
      await say(page, task)
      await answer(page, 'd')
      await page.waitFor('input[aria-label=Reason]')
      await page.fill('input[aria-label=Reason]', 'Not today')
      await page.press('Enter')
      await page.waitForGone('[data-question]')
      await page.waitForText('denied', { within: 'sameloop-chat' })
      equal(await page.exists('[data-path="/summary.md"]'), false)
      await noErrors(page)
    },
  },
  {
    name: 'runs a call with edited arguments, and says where they are no JSON or do not fit',
    run: async (kit) => {
      const page = await openPage(kit)
      await say(page, task)
      await answer(page, 'e')
      await page.waitFor('.field.code')
      await page.fill('.field.code', '{"path": ')
      await page.waitForText('not valid JSON', { within: '[data-question]' })
      await page.fill('.field.code', '{"path": 5}')
      await page.click('text=Run with these')
      await page.waitForText('Expected string', { within: '[data-question]' })
      await page.fill('.field.code', '{"path": "other.md", "contents": "by hand"}')
      await page.click('text=Run with these')
      await page.click('[data-path="/other.md"]')
      await page.waitForText('by hand', { within: '.viewer' })
      equal(await page.exists('[data-path="/summary.md"]'), false)
    },
  },
  {
    name: 'keeps an open question, the conversation and the files over a reload',
    run: async (kit) => {
      const page = await openPage(kit)
      await say(page, 'Write hello to hello.txt')
      await answer(page, 'a')
      await page.waitFor('[data-path="/hello.txt"]')
      await say(page, task)
      await page.waitFor('[data-question]')
      await page.reload()
      await page.waitFor('[data-question]')
      ok((await page.text('sameloop-chat')).includes('hello.txt'), 'the earlier run is shown')
      await page.waitFor('[data-path="/hello.txt"]')
      ok((await page.text('[data-path="/hello.txt"]')).includes('A'), 'the file is still marked as added')
      await page.click('[data-key=a]')
      await page.click('[data-path="/summary.md"]')
      await page.waitForText('Open tasks: 3', { within: '.viewer' })
    },
  },
  {
    name: 'says that a run was cut off by a reload, and continues',
    browsers: ['chromium', 'firefox'],
    run: async (kit) => {
      let requests = 0
      const asked = gate()
      const server = await modelServer(async (write) => {
        if (++requests > 1) return write('Now it goes on.')
        asked.open()
        return new Promise(() => {})
      })
      try {
        const page = await openPage(kit)
        await useServer(page, server.url)
        await say(page, 'Something slow')
        await page.waitFor('.round.stop')
        await asked.opened
        await page.reload()
        await page.waitForText('The page went away', { within: 'sameloop-chat' })
        await page.click('text=Continue')
        await page.waitForText('Now it goes on.', { within: 'sameloop-chat' })
        equal(server.requests[1].body.messages.at(-1).content, 'Something slow')
      } finally {
        await server.close()
      }
    },
  },
  {
    name: 'sends an example when it is clicked, and starts a new session on N',
    run: async (kit) => {
      const page = await openPage(kit)
      await page.click('.examples button')
      await page.waitForText('395', { within: '.entry.text:last-child' })
      await page.evaluate(() => document.querySelector('.tabs [aria-selected=true]').focus())
      await page.press('n')
      await page.waitFor('.examples')
      equal((await page.text('.sessions ul')).includes('17 * 23'), true, 'the first session is still in the list')
    },
  },
  {
    name: 'walks the tree of files with the arrow keys',
    run: async (kit) => {
      const page = await openPage(kit)
      await page.waitFor('[data-path="/notes.md"]')
      await page.evaluate(() => document.querySelector('[role=treeitem][tabindex="0"]').focus())
      await page.press('ArrowLeft')
      await page.waitForGone('[data-path="/src/main.ts"]')
      await page.press('ArrowRight')
      await page.waitFor('[data-path="/src/main.ts"]')
      await page.press('ArrowRight')
      await page.press('Enter')
      await page.waitForText('retries', { within: '.viewer' })
    },
  },
  {
    name: 'opens the sheet of keys on ?, closes it on Esc, and remembers the theme',
    run: async (kit) => {
      const page = await openPage(kit)
      await page.evaluate(() => document.querySelector('.tabs [aria-selected=true]').focus())
      await page.press('?')
      await page.waitForText('Keyboard shortcuts', { within: 'dialog' })
      await page.press('Escape')
      await page.waitForGone('dialog')
      await page.click('[aria-label="Theme: auto"]')
      await page.click('[aria-label="Theme: light"]')
      await page.reload()
      await page.waitFor('[aria-label="Theme: dark"]')
      equal(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme), 'dark')
    },
  },
  {
    name: 'names every control, and keeps keys out of what is stored unless asked',
    browsers: ['chromium'],
    run: async (kit) => {
      const page = await openPage(kit)
      await doMainJob(page)
      await page.click('.entry summary')
      deepEqual(await page.evaluate(namelessControls), [])
      await page.click('.chip')
      await page.click('input[value=anthropic]')
      await page.fill('#field-model', 'claude-made-up')
      await page.fill('#field-key', 'sk-secret-key')
      deepEqual(await page.evaluate(namelessControls), [])
      await page.click('text=Use this model')
      equal(
        await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }).includes('sk-secret-key')),
        false,
      )
      await page.click('.chip')
      await page.click('.keep input')
      await page.click('text=Use this model')
      equal(await page.evaluate(() => JSON.stringify({ ...localStorage }).includes('sk-secret-key')), true)
      await page.click('.chip')
      await page.click('text=Delete key')
      equal(await page.evaluate(() => JSON.stringify({ ...localStorage }).includes('sk-secret-key')), false)
    },
  },
  {
    name: 'fits a phone: tabs below, nothing wider than the screen',
    run: async (kit) => {
      const page = await openPage(kit, { width: 390, height: 844 })
      await say(page, task)
      await page.waitFor('[data-question]')
      const overflow = () => document.documentElement.scrollWidth - window.innerWidth
      ok((await page.evaluate(overflow)) <= 0)
      await page.click('[data-key=a]')
      await page.waitForGone('[data-question]')
      await page.click('text=Files')
      await page.click('[data-path="/summary.md"]')
      await page.waitForText('Open tasks: 3', { within: '.viewer' })
      ok((await page.evaluate(overflow)) <= 0)
      await page.click('text=Run')
      await page.waitForText('tool calls', { within: '.meters' })
      await page.click('text=Sessions')
      await page.waitForText('New session', { within: '.sessions' })
    },
  },
  {
    name: 'is dark where the system is',
    dark: true,
    run: async (kit) => {
      const page = await openPage(kit)
      const lightness = () => {
        const canvas = document.createElement('canvas').getContext('2d')
        canvas.fillStyle = getComputedStyle(document.body).backgroundColor
        canvas.fillRect(0, 0, 1, 1)
        return canvas.getImageData(0, 0, 1, 1).data[0]
      }
      ok((await page.evaluate(lightness)) < 60)
    },
  },
  {
    name: 'asks nobody but its own server, and a second tab has a session of its own',
    browsers: ['chromium'],
    run: async (kit) => {
      const page = await openPage(kit)
      const foreign = []
      const context = page.playwright.context()
      context.on('request', (request) => {
        if (!request.url().startsWith(kit.page)) foreign.push(request.url())
      })
      await doMainJob(page)
      const other = await context.newPage()
      await other.goto(kit.page)
      await other.locator(field).waitFor()
      equal(await other.locator('[data-path="/summary.md"]').count(), 0)
      equal(await other.locator('sameloop-chat .entry').count(), 0)
      deepEqual(foreign, [])
    },
  },
  {
    name: 'obeys its own policy: no inline script or style runs, and no HTML is made of text',
    browsers: ['chromium'],
    run: async (kit) => {
      const page = await openPage(kit)
      await say(page, '/fs_write {"path": "x.md", "contents": "<img src=x onerror=alert(1)>"}')
      await answer(page, 'a')
      await page.click('[data-path="/x.md"]')
      await page.waitForText('<img src=x onerror=alert(1)>', { within: '.viewer' })
      const refused = await page.evaluate(() => {
        try {
          document.createElement('div').innerHTML = '<b>x</b>'
          return false
        } catch {
          return true
        }
      })
      equal(refused, true)
      equal(await page.evaluate(() => document.querySelectorAll('img').length), 0)
    },
  },
]
