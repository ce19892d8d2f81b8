// What is taken from a child process before it runs programs: Node's permissions keep it from files and processes, and
// this from the network, from other processes, and from Node's modules.
import dgram from 'node:dgram'
import dns from 'node:dns'
import net from 'node:net'
import { constants } from 'node:fs'

type Methods = Record<string, unknown>

const denied = (): never => {
  throw new Error('It is not allowed')
}

function poison(target: object, isWanted: (name: string) => boolean = () => true): void {
  for (const name of Object.getOwnPropertyNames(target)) {
    const given = Object.getOwnPropertyDescriptor(target, name)
    if (name === 'constructor' || typeof given?.value !== 'function' || !isWanted(name)) continue
    Object.defineProperty(target, name, { value: denied, writable: false, configurable: false })
  }
}

/** The engine-side object of a socket that was never connected. */
function handleOf(place: net.SocketConnectOpts): object {
  const socket = new net.Socket()
  socket.on('error', () => {})
  socket.connect(place)
  const { _handle: handle } = socket as unknown as { readonly _handle: object | null }
  socket.destroy()
  if (!handle) throw new Error('There is no handle')
  return handle
}

function stateOf(socket: dgram.Socket): Methods {
  const [state] = Object.getOwnPropertySymbols(socket)
    .map((key) => (socket as unknown as Record<symbol, Methods | undefined>)[key])
    .filter((value) => value && typeof value === 'object' && 'handle' in value)
  if (!state) throw new Error('There is no handle')
  return state
}

/**
 * Closes the network: what connects, binds and listens is replaced where Node itself calls it. Throws where it cannot be
 * sure. A Node that keeps the network back by itself is left alone. The process' own pipes must be open already.
 */
function closeNetwork(): void {
  const { permission } = process as { readonly permission?: { has(scope: string): boolean } }
  if (isKeptBack(permission)) return
  const opens = (name: string): boolean => /^(connect|bind|listen|open)/.test(name)
  poison(Object.getPrototypeOf(handleOf({ host: '127.0.0.1', port: 9 })) as object, opens)
  poison(Object.getPrototypeOf(handleOf({ path: '/' })) as object, opens)
  const socket = dgram.createSocket('udp4')
  const { handle } = stateOf(socket)
  socket.close()
  poison(Object.getPrototypeOf(handle) as object)
  const { _handle: channel } = new dns.Resolver() as unknown as { readonly _handle: object }
  poison(Object.getPrototypeOf(channel) as object)
  poison(dns.promises)
  poison(dns)
}

function isKeptBack(permission: { has(scope: string): boolean } | undefined): boolean {
  // Node before 25 knows no such scope, and says false of it, too.
  const [major = 0] = process.versions.node.split('.').map(Number)
  return major >= 25 && permission?.has('net') === false
}

/** The engine of Python asks for one table of numbers by a way that permissions close. */
export function lendConstants(): void {
  const binding = (name: string): unknown => (name === 'constants' ? { fs: constants } : denied())
  Object.defineProperty(process, 'binding', { value: binding, configurable: true })
}

const needless = [
  'binding',
  '_linkedBinding',
  '_kill',
  '_debugProcess',
  '_debugEnd',
  '_startProfilerIdleNotifier',
  'abort',
  'chdir',
  'dlopen',
  'execve',
  'getBuiltinModule',
  'kill',
  'loadEnvFile',
  'mainModule',
  'openStdin',
  'report',
  'setgid',
  'setegid',
  'setuid',
  'seteuid',
  'setgroups',
  'initgroups',
  'umask',
  'setSourceMapsEnabled',
  'finalization',
]

/** To be called when Python is loaded, and before it runs anything of anybody's. */
export function sealProcess(): void {
  closeNetwork()
  for (const name of needless) Object.defineProperty(process, name, { value: undefined, configurable: false })
}
