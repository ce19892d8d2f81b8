// What a person does on the page, in words that the tests share.
import { deepEqual, equal, ok } from 'node:assert/strict'

export const field = '.composer textarea'
export const task = 'Read notes.md, count the open tasks and write the total to summary.md'

/** Opens the page and waits until it can be used. */
export async function openPage(kit, { address = kit.page, ...size } = {}) {
  const page = await kit.open(address, size)
  await page.waitFor(field)
  return page
}

export async function say(page, words) {
  await page.fill(field, words)
  await page.press('Enter')
}

/** Says what is too long to be typed. */
export async function paste(page, words) {
  await page.waitFor(field)
  await page.evaluate((text) => {
    const area = document.querySelector('sameloop-chat').shadowRoot.querySelector('.composer textarea')
    area.focus()
    area.value = text
    area.dispatchEvent(new InputEvent('input', { bubbles: true }))
  }, words)
  await page.press('Enter')
}

/** The whole job: a task, what it read, the question, the answer, the file. */
export async function doMainJob(page) {
  await say(page, task)
  await page.waitForText(task, { within: 'sameloop-chat' })
  await page.waitFor('[data-question]')
  const asked = await page.text('sameloop-chat')
  ok(asked.includes('rule-based, no AI'), 'the answer says that no AI gave it')
  ok(asked.includes('fs_read'), 'the reading has a card')
  ok(asked.includes('summary.md'), 'the question names the file')
  ok(asked.includes('Open tasks: 3'), 'the question shows what would be written')
  equal(await page.exists('[data-path="/summary.md"]'), false, 'nothing is written before the answer')
  await answer(page, 'a')
  await page.waitForGone('[data-question]')
  await page.waitForText('Created', { within: 'sameloop-chat' })
  await page.click('[data-path="/summary.md"]')
  await page.waitForText('Open tasks: 3', { within: '.viewer' })
  ok((await page.text('[data-path="/summary.md"]')).includes('A'), 'the new file is marked as added')
}

/** Chooses the made-up server as the model of the page. */
export async function useServer(page, url) {
  await page.click('.chip')
  await page.click('input[value=openai]')
  await page.fill('#field-address', url)
  await page.fill('#field-model', 'made-up')
  await page.click('text=Use this model')
  await page.waitForGone('dialog')
}

/** Errors of the page; where it is served without a worker, the question whether there is one is answered 404, and only that. */
export async function pageErrors(page) {
  const errors = await page.errors()
  return errors.filter((error) => !/^Failed to load resource: .* 404 .*\/api\/health$/.test(error))
}

/** Answers the open question by its key, once keys are taken. */
export async function answer(page, key) {
  await page.waitFor('[data-calm] [data-question]')
  await page.press(key)
}

export async function noErrors(page) {
  deepEqual(await pageErrors(page), [])
}

/** Runs in the page: what can be pressed or filled and has no name. */
export function namelessControls() {
  const roots = [document]
  for (const root of roots)
    for (const element of root.querySelectorAll('*')) if (element.shadowRoot) roots.push(element.shadowRoot)
  const controls = roots.flatMap((root) => [
    ...root.querySelectorAll('button, input, textarea, select, a, [role=tab], [role=treeitem], summary'),
  ])
  const nameOf = (element) =>
    element.getAttribute('aria-label') ||
    element.innerText ||
    element.labels?.[0]?.innerText ||
    element.getAttribute('title') ||
    ''
  return controls
    .filter((element) => element.getClientRects().length > 0 && nameOf(element).trim() === '')
    .map((element) => element.outerHTML.slice(0, 120))
}
