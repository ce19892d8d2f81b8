// What the page trusts: not its storage, and no server with the key of another.
import { equal, ok } from 'node:assert/strict'
import { modelServer } from './page/model-server.mjs'
import { field, openPage, say } from './page/steps.mjs'

const kept = { version: 1, id: 'x', at: 1, place: 'here', title: 'An earlier one' }
const chat = { version: 1, id: 'x', records: [], messages: [], running: false }
const said = { type: 'user', id: 'u', text: 'What was said' }

/** What an older page, another program or a person may have left in the storage, and whether it can still be shown. */
const leftovers = [
  ['no records', { ...kept, chat }, true],
  ['records that are no list', { ...kept, chat: { ...chat, records: 5 } }, false],
  ['a record that is null', { ...kept, chat: { ...chat, records: [said, null] } }, true],
  [
    'a record without its event',
    { ...kept, chat: { ...chat, records: [said, { type: 'event' }], running: true } },
    true,
  ],
  ['messages that are null', { ...kept, chat: { ...chat, messages: null, running: true } }, false],
  ['a file that is no base64', { ...kept, files: { '/a': 'data:base64,%%%' } }, false],
  ['a file that is a number', { ...kept, files: { '/a': 5 } }, false],
  ['a file in a file', { ...kept, files: { '/a': 'x', '/a/b': 'y' } }, false],
  ['a place that there is not', { ...kept, place: 'elsewhere', chat }, false],
  ['a title that is an object', { ...kept, title: {}, chat }, false],
]

const leave = (value) => {
  localStorage.setItem('sameloop.session.x', JSON.stringify(value))
  sessionStorage.setItem('sameloop.tab', '"x"')
}

/** Fills in the dialog of the model. A key is only typed where there is one. */
async function chooseServer(page, { address, key }) {
  await page.click('.chip')
  await page.click('input[value=openai]')
  await page.fill('#field-address', address)
  await page.fill('#field-model', 'made-up')
  if (key !== undefined) await page.fill('#field-key', key)
}

export const tests = [
  {
    name: 'can be used whatever the storage holds, and says where a conversation could not be read',
    browsers: ['chromium', 'firefox'],
    run: async (kit) => {
      const page = await openPage(kit)
      for (const [what, value, isReadable] of leftovers) {
        await page.evaluate(leave, value)
        await page.reload()
        await page.waitFor(field)
        const text = await page.text('.chat-pane')
        equal(text.includes('could not be read'), !isReadable, what)
        if (value.chat?.records.length > 0) ok(text.includes('What was said'), `${what}: the rest is shown`)
      }
      await page.evaluate(leave, leftovers[1][1])
      await page.reload()
      await say(page, 'What is 6 * 7?')
      await page.waitForText('42', { within: '.entry.text:last-child' })
      await page.reload()
      await page.waitForText('42', { within: 'sameloop-chat' })
    },
  },
  {
    name: 'sends a key only to the server it was entered for, and finds it again with the address',
    browsers: ['chromium', 'firefox'],
    run: async (kit) => {
      const [first, second] = [await modelServer((write) => write('One')), await modelServer((write) => write('Two'))]
      try {
        const page = await openPage(kit)
        await chooseServer(page, { address: first.url, key: 'sk-for-the-first' })
        await page.click('text=Use this model')
        await say(page, 'Hello')
        await page.waitForText('One', { within: '.say' })
        await chooseServer(page, { address: second.url })
        equal(await page.evaluate(() => document.querySelector('#field-key').value), '')
        await page.click('text=Test')
        await page.waitForText('answered', { within: '.tested' })
        await page.click('text=Use this model')
        await say(page, 'Hello again')
        await page.waitForText('Two', { within: 'sameloop-chat' })
        await chooseServer(page, { address: first.url })
        equal(await page.evaluate(() => document.querySelector('#field-key').value), 'sk-for-the-first')
        equal(first.requests[0].authorization, 'Bearer sk-for-the-first')
        equal(second.requests.length, 2)
        equal(second.requests.filter(({ authorization }) => authorization !== undefined).length, 0)
      } finally {
        await first.close()
        await second.close()
      }
    },
  },
  {
    name: 'keeps no key and no wish to remember it where the dialog is left after a test',
    browsers: ['chromium', 'firefox'],
    run: async (kit) => {
      const server = await modelServer((write) => write('ready'))
      try {
        const page = await openPage(kit)
        await chooseServer(page, { address: server.url, key: 'sk-only-tried' })
        await page.click('.keep input')
        await page.click('text=Test')
        await page.waitForText('answered', { within: '.tested' })
        equal(server.requests[0].authorization, 'Bearer sk-only-tried')
        await page.click('text=Cancel')
        await page.waitForGone('dialog')
        equal(await page.evaluate(() => JSON.stringify({ ...localStorage }).includes('sk-only-tried')), false)
        await chooseServer(page, { address: server.url })
        equal(await page.evaluate(() => document.querySelector('#field-key').value), '')
      } finally {
        await server.close()
      }
    },
  },
]
