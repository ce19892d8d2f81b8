// Loaded before a server of others: wherever it wants to listen, it listens to this machine alone.
import { Server } from 'node:net'

// Below `listen`, which with a host no longer knows its port at once.
const { _listen2: listen } = Server.prototype
Server.prototype._listen2 = function (address, port, family, ...more) {
  return port === -1
    ? listen.call(this, address, port, family, ...more)
    : listen.call(this, '127.0.0.1', port, 4, ...more)
}
