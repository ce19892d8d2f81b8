import { describe, expect, it } from 'vitest'
import { memoryFiles } from '../../src/vfs/memory.ts'
import { readStream, writeStream } from '../../src/vfs/stream.ts'
import { exists, readText, writeText } from '../../src/vfs/text.ts'

const all = async (stream: ReadableStream<Uint8Array>): Promise<string> => new Response(stream as BodyInit).text()
const pieces = (...texts: readonly string[]): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      for (const text of texts) controller.enqueue(new TextEncoder().encode(text))
      controller.close()
    },
  })

describe('readStream()', () => {
  it('gives a file in pieces, whole or in part', async () => {
    const files = memoryFiles({ files: { '/f': '0123456789', '/empty': '' } })
    expect(await all(readStream(files, '/f', { chunkBytes: 3 }))).toBe('0123456789')
    expect(await all(readStream(files, '/f', { chunkBytes: 5 }))).toBe('0123456789')
    expect(await all(readStream(files, 'f', { offset: 2, length: 5, chunkBytes: 2 }))).toBe('23456')
    expect(await all(readStream(files, '/f', { offset: 20 }))).toBe('')
    expect(await all(readStream(files, '/f', { length: 0 }))).toBe('')
    expect(await all(readStream(files, '/empty'))).toBe('')
  })

  it('ends in an error where the file changes in the middle, or is none', async () => {
    const files = memoryFiles({ files: { '/f': '0123456789' } })
    const reader = readStream(files, '/f', { chunkBytes: 4 }).getReader()
    await reader.read()
    await writeText(files, '/f', 'another')
    await expect(reader.read()).rejects.toMatchObject({ code: 'vfs-conflict' })
    await expect(all(readStream(files, '/none'))).rejects.toMatchObject({ code: 'vfs-not-found' })
    await expect(all(readStream(files, '/'))).rejects.toMatchObject({ code: 'vfs-is-directory' })
  })
})

describe('readStream() of what cannot be', () => {
  it.each([{ chunkBytes: 0 }, { chunkBytes: NaN }, { offset: -1 }, { length: NaN }])('refuses %o', (options) => {
    const files = memoryFiles({ files: { '/f': '0123456789' } })
    expect(() => readStream(files, '/f', options)).toThrow(expect.objectContaining({ code: 'config-invalid' }))
  })
})

describe('writeStream()', () => {
  it('replaces a file when it closes, and makes what is missing', async () => {
    const files = memoryFiles({ files: { '/d/f': 'old' } })
    await pieces('new ', 'text').pipeTo(writeStream(files, '/d/f'))
    expect(await readText(files, '/d/f')).toBe('new text')
    await pieces().pipeTo(writeStream(files, '/x/empty'))
    expect(await readText(files, '/x/empty')).toBe('')
    expect((await files.list('/d')).entries.map(({ name }) => name)).toEqual(['f'])
  })

  it('leaves the file as it was where the stream is aborted', async () => {
    const files = memoryFiles({ files: { '/f': 'old' } })
    const writer = writeStream(files, '/f').getWriter()
    await writer.write(new TextEncoder().encode('half'))
    await writer.abort(new Error('enough'))
    expect([await readText(files, '/f'), await exists(files, '/f.part')]).toEqual(['old', false])
  })
})
