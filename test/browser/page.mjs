// The page object that tests use, the same for every browser. A driver lends it the few primitives that differ.
import { setTimeout as sleep } from 'node:timers/promises'
import { findElement, focusField, nextFrames, readText, selectField } from './find.mjs'

const patienceMs = 20_000

/** Asks again and again until there is an answer; fails with `what` when the time is over. */
async function eventually(ask, what, limitMs) {
  const end = Date.now() + limitMs
  for (;;) {
    const answer = await ask()
    if (answer) return answer
    if (Date.now() > end)
      throw new Error(`${typeof what === 'function' ? await what() : what} (waited ${limitMs / 1000} s)`)
    await sleep(40)
  }
}

/**
 * `driver`: `evaluate(fn, ...args)`, `element(fn, ...args)` (a handle or undefined), `click(handle)`, `type(text)`,
 * `onElement(handle, fn)`, `press(key)`, `shoot(path)`, `goto(url)`, `reload()`, `resize(width, height)`, `errors()`, `close()`.
 */
export function drivenPage(driver) {
  const find = (selector, limitMs = patienceMs) =>
    eventually(() => driver.element(findElement, selector), `Nothing in the page matches "${selector}"`, limitMs)
  const text = (selector = '') => driver.evaluate(readText, selector)
  return {
    goto: driver.goto,
    reload: driver.reload,
    press: driver.press,
    resize: driver.resize,
    /** Runs a function in the page; it is sent as text, with its arguments as JSON. */
    evaluate: driver.evaluate,
    /** Waits for the element, then clicks it as a person would. */
    click: async (selector, { limitMs } = {}) => driver.click(await find(selector, limitMs)),
    /** Adds to the end of what is in the field. */
    type: async (selector, words) => {
      await driver.onElement(await find(selector), focusField)
      await driver.type(words)
    },
    /** Replaces what is in the field. */
    fill: async (selector, words) => {
      await driver.onElement(await find(selector), selectField)
      await driver.type(words)
    },
    /** Visible text, white space joined. */
    text,
    exists: async (selector) => (await driver.element(findElement, selector)) !== undefined,
    waitFor: async (selector, { limitMs } = {}) => void (await find(selector, limitMs)),
    waitForGone: (selector, { limitMs = patienceMs } = {}) =>
      eventually(
        async () => (await driver.element(findElement, selector)) === undefined,
        `"${selector}" is still there`,
        limitMs,
      ),
    /** Waits until the visible text (of the page, or of `within`) contains `part`, or matches it. Returns the text. */
    waitForText: (part, { within = '', limitMs = patienceMs } = {}) => {
      const fits = (came) => (typeof part === 'string' ? came.includes(part) : part.test(came))
      const look = async () => {
        const came = await text(within)
        return fits(came) ? came || ' ' : undefined
      }
      return eventually(
        look,
        async () => `Wanted the text ${part}, got "${(await text(within)).slice(0, 1500)}"`,
        limitMs,
      )
    },
    /** Writes a PNG of the viewport. */
    screenshot: async (path) => {
      await driver.evaluate(nextFrames)
      await driver.shoot(path)
    },
    /** Uncaught errors, unhandled rejections and console errors so far. In WebKit only those after the load. */
    errors: driver.errors,
    close: driver.close,
  }
}
