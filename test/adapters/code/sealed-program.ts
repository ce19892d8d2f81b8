// A program that keeps what Node offers before it is sealed, and tries afterwards all that could leave the process.
import dgram from 'node:dgram'
import dns from 'node:dns'
import { writeSync } from 'node:fs'
import http from 'node:http'
import net from 'node:net'
import { sealProcess } from '../../../adapters/node/python/seal.ts'

const [port = 0, pipe = ''] = process.argv.slice(2).map((word) => (Number.isNaN(Number(word)) ? word : Number(word)))
const resolver = new dns.promises.Resolver()
const { fetch } = globalThis

const waitFor = (emitter: { once(name: string, listener: (error?: unknown) => void): unknown }, good: string) =>
  new Promise<string>((resolve, reject) => {
    emitter.once(good, () => resolve(good))
    emitter.once('error', reject)
  })

const tries: Readonly<Record<string, () => unknown>> = {
  connect: () => waitFor(net.connect(Number(port), '127.0.0.1'), 'connect'),
  connectByName: () => waitFor(net.connect(Number(port), 'localhost'), 'connect'),
  pipe: () => waitFor(net.connect(String(pipe)), 'connect'),
  request: () => waitFor(http.get(`http://127.0.0.1:${port}/`), 'response'),
  fetch: () => fetch(`http://127.0.0.1:${port}/`),
  listen: () => waitFor(net.createServer().listen(0, '127.0.0.1'), 'listening'),
  datagram: () => {
    const socket = dgram.createSocket('udp4')
    return new Promise((resolve, reject) =>
      socket.send('x', Number(port), '127.0.0.1', (error) => (error ? reject(error) : resolve('sent'))),
    )
  },
  lookup: () => dns.promises.lookup('localhost'),
  lookupOld: () => new Promise((resolve) => dns.lookup('localhost', resolve)),
  resolve: () => resolver.resolve4('example.com'),
  kill: () => process.kill(process.ppid, 0),
  debug: () => (process as unknown as { _debugProcess(pid: number): void })._debugProcess(process.pid),
  builtin: () => process.getBuiltinModule('node:net'),
  binding: () => (process as unknown as { binding(name: string): unknown }).binding('tcp_wrap'),
}

sealProcess()
const done: string[] = []
process.on('uncaughtException', () => {})
for (const [name, work] of Object.entries(tries)) {
  const late = new Promise((_, reject) => void setTimeout(() => reject(new Error('late')), 2000))
  try {
    await Promise.race([work(), late])
    done.push(name)
  } catch {
    // So it should be.
  }
}
writeSync(1, JSON.stringify(done))
process.exit()
