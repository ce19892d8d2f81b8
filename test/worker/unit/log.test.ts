// What readers of the log hear of the disk, without a Durable Object.
import { describe, expect, it } from 'vitest'
import { sessionLog } from '../../../adapters/cloudflare/event-log/log.ts'
import { settle } from '../../host.ts'

const nothing = { one: () => ({ last: 0 }), toArray: () => [], [Symbol.iterator]: () => [][Symbol.iterator]() }
const sql = { exec: () => nothing } as unknown as SqlStorage

describe('sessionLog()', () => {
  it('tells the readers and the operator of a disk that fails, and serves again when it does not', async () => {
    const fault = new Error('the disk is gone')
    const told: unknown[] = []
    let works = false
    const sync = (): Promise<void> => (works ? Promise.resolve() : Promise.reject(fault))
    const log = sessionLog({ sql, sync }, (thrown) => void told.push(thrown))
    let changes = 0
    log.onChange(() => void changes++)
    log.publish()
    await settle()
    expect([changes, told]).toEqual([1, [fault]])
    expect(() => log.read(0)).toThrow(fault)
    works = true
    log.onChange(() => void changes++)
    log.publish()
    await settle()
    expect([changes, told.length, log.read(0)]).toEqual([2, 1, []])
  })
})
