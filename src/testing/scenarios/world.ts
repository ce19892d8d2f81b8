// Scenarios about the kit itself: that the world it gives is the same world everywhere.
import { hex } from '../../stream/bytes.ts'
import type { Scenario } from '../kit.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

export const worldScenarios: readonly Scenario[] = [
  {
    name: 'timers fire by due time and jump the clock',
    run: async (kit) => {
      const started = kit.clock.now()
      const order: string[] = []
      const waits = [30, 10, 20, 10].map(async (ms, index) => {
        await kit.sleep(ms)
        order.push(`${index} after ${kit.clock.now() - started}`)
      })
      await Promise.all(waits)
      kit.equal(order, ['1 after 10', '3 after 10', '2 after 20', '0 after 30'])
      kit.note('order', order)
    },
  },
  {
    name: 'work that needs many turns is finished before the next timer',
    run: async (kit) => {
      const order: string[] = []
      const slow = async (): Promise<void> => {
        let made = 0
        const stream = new ReadableStream<number>({
          pull: (controller) => (made < 20 ? controller.enqueue(made++) : controller.close()),
        })
        const reader = stream.getReader()
        for (;;) {
          const { done, value } = await reader.read()
          if (done) break
          order.push(`chunk ${value}`)
        }
      }
      await Promise.all([kit.sleep(1).then(() => order.push('timer')), slow()])
      kit.equal(order.at(-1), 'timer')
      kit.note('order', order)
    },
  },
  {
    name: 'an aborted sleep rejects with the reason and leaves no timer',
    run: async (kit) => {
      const controller = new AbortController()
      const sleeping = kit.sleep(1000, controller.signal).catch((reason: unknown) => reason)
      kit.host.timer(5, () => controller.abort('enough'))
      kit.equal(await sleeping, 'enough')
      kit.equal(kit.clock.pending(), 0)
      kit.note('waited', kit.clock.now() - Date.UTC(2026, 0, 1))
    },
  },
  {
    name: 'ids count up by prefix and random is fixed',
    run: async (kit) => {
      const { id, random } = kit.host
      kit.note('ids', [id('run_'), id('call_'), id('run_'), random()])
    },
  },
  {
    name: 'digest and hmac are those of the standards',
    run: async (kit) => {
      const digest = await kit.host.digest(bytes('abc'))
      const hmac = await kit.host.hmac(bytes('Jefe'), bytes('what do ya want for nothing?'))
      kit.equal(hex(digest), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
      kit.equal(hex(hmac), '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843')
      kit.note('digests', [digest, hmac])
    },
  },
  {
    name: 'a served body arrives in its chunks and waits on the clock',
    run: async (kit) => {
      kit.serve(() => ({ headers: { 'content-type': 'text/plain' }, body: ['héllo ', { wait: 50 }, 'wörld'] }))
      const response = await kit.host.fetch('https://example.com/', { method: 'POST', body: 'question' })
      const reader = response.body!.getReader()
      const decoder = new TextDecoder()
      const started = kit.clock.now()
      for (;;) {
        const { done, value } = await reader.read()
        if (done) break
        kit.note('chunk', [decoder.decode(value, { stream: true }), kit.clock.now() - started])
      }
      kit.equal(kit.requests[0]?.body, 'question')
      kit.note('answer', [response.status, response.headers.get('content-type')])
    },
  },
  {
    name: 'a body that is aborted or breaks gives what came before and then fails',
    run: async (kit) => {
      const controller = new AbortController()
      const readAll = async (signal?: AbortSignal): Promise<string> => {
        const response = await kit.host.fetch('https://example.com/', { signal: signal ?? null })
        const reader = response.body!.getReader()
        const decoder = new TextDecoder()
        let text = ''
        try {
          for (;;) {
            const { done, value } = await reader.read()
            if (done) return `${text} end`
            text += decoder.decode(value, { stream: true })
          }
        } catch (error) {
          return `${text} ${error instanceof TypeError ? error.name : String(error)}`
        }
      }
      kit.serve(() => ({ body: ['one ', { wait: 30 }, 'two'] }))
      kit.host.timer(10, () => controller.abort('stopped'))
      kit.note('aborted', await readAll(controller.signal))
      kit.serve(() => ({ body: ['one ', { wait: 30 }, { break: true }, 'two'] }))
      kit.note('broken', await readAll())
      kit.equal(kit.clock.pending(), 0)
    },
  },
]
