// The same page and job with the agent in the worker, where the worker starts on this machine.
import { equal, ok } from 'node:assert/strict'
import { startDemo } from '../../scripts/start.mjs'
import { doMainJob, noErrors, openPage, say, task } from './page/steps.mjs'

let demo

/** The page and its worker, started once; they end with the tests. */
const served = () => (demo ??= startDemo({ limitMs: 60_000 }))

const toWorker = async (page) => {
  await page.click('.segment button:last-child:not(:disabled)')
  await page.waitFor('[data-path="/notes.md"]')
}

const atWorker = (run) => async (kit) => {
  const { url, worker, reason } = await served()
  if (!worker) return { skipped: `the worker does not start here: ${reason}` }
  return run(await openPage(kit, { address: url }))
}

export const tests = [
  {
    name: 'does the main job at the worker, and shows it again after a reload',
    run: atWorker(async (page) => {
      await toWorker(page)
      await doMainJob(page)
      await page.reload()
      await page.waitForText('Created', { within: 'sameloop-chat' })
      await page.waitForText(task, { within: 'sameloop-chat' })
      await page.waitFor('[data-path="/summary.md"]')
      const told = () => document.querySelector('sameloop-chat').shadowRoot.querySelector('[role=log]').textContent
      equal(await page.evaluate(told), '', 'what was said before is not read out again')
      await noErrors(page)
    }),
  },
  {
    name: 'keeps a question of the worker open over a reload, and answers it after',
    browsers: ['chromium'],
    run: atWorker(async (page) => {
      await toWorker(page)
      await say(page, task)
      await page.waitFor('[data-question]')
      await page.reload()
      await page.waitFor('[data-question]')
      await page.click('[data-key=a]')
      await page.waitFor('[data-path="/summary.md"]')
      ok((await page.text('sameloop-chat')).includes('fs_write'))
    }),
  },
  {
    name: 'lets a question of the worker go on Esc, and takes the next task',
    browsers: ['chromium'],
    run: atWorker(async (page) => {
      await toWorker(page)
      await say(page, task)
      await page.waitFor('[data-question]')
      await page.press('Escape')
      await page.waitForGone('[data-question]')
      await page.waitForText('Stopped by you', { within: 'sameloop-chat' })
      await say(page, 'What is 6 * 7?')
      await page.waitForText('42', { within: '.entry.text:last-child' })
      await noErrors(page)
    }),
  },
  {
    name: 'offers a new session where the worker does not know the one that was kept, and forgets that one',
    browsers: ['chromium'],
    run: atWorker(async (page) => {
      await page.evaluate(() => {
        const kept = { version: 1, id: 'old', place: 'worker', title: 'Old', at: 1, session: 'f'.repeat(64) }
        localStorage.setItem('sameloop.session.old', JSON.stringify(kept))
        sessionStorage.setItem('sameloop.tab', '"old"')
      })
      await page.reload()
      await page.waitForText('Start a new session', { within: 'sameloop-chat' })
      await page.click('.card.bad .button')
      await page.waitFor('[data-path="/notes.md"]')
      await say(page, 'What is 6 * 7?')
      await page.waitForText('42', { within: '.entry.text:last-child' })
      ok(await page.evaluate(() => localStorage.getItem('sameloop.session.old') === null))
    }),
  },
]
