import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { Connection } from '../../src/p2p/connection/connection.ts'
import {
  CONNECTION_TIMINGS,
  type ConnectionOptions,
  type ConnectionTimings,
} from '../../src/p2p/connection/connectionOptions.ts'
import { accept, dial } from '../../src/p2p/connection/transport.ts'
import { RSK_CAPABILITY } from '../../src/p2p/messages/hello.ts'
import { createNodeKey } from '../../src/p2p/wire/curve.ts'
import { createSteadyClock } from '../../src/util/steadyClock.ts'

/** Deadlines that a busy machine keeps as well. */
export const PATIENT_TIMINGS: ConnectionTimings = {
  ...CONNECTION_TIMINGS,
  connect: 60_000,
  handshake: 60_000,
}

/** Options of one end, with a key of its own. */
export function connectionOptions(changes: Partial<ConnectionOptions> = {}): ConnectionOptions {
  return {
    key: createNodeKey(randomBytes),
    client: 'test',
    capabilities: [RSK_CAPABILITY],
    listenPort: 0,
    random: randomBytes,
    clock: createSteadyClock(),
    timings: PATIENT_TIMINGS,
    ...changes,
  }
}

/** A server whose connections are asked for one by one, and closed with it. */
export class TestListener {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #waiting: Socket[] = []
  #wake: (() => void) | null = null

  constructor() {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket)
      socket.on('close', () => this.#sockets.delete(socket))
      socket.on('error', () => {})
      this.#waiting.push(socket)
      this.#wake?.()
    })
  }

  async listen(): Promise<number> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return (this.#server.address() as AddressInfo).port
  }

  /** The next socket that connected. */
  async socket(): Promise<Socket> {
    for (;;) {
      const socket = this.#waiting.shift()
      if (socket !== undefined) return socket
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
  }
}

/** Both ends of a connection over TCP, and what closes all of it. */
export async function connectPair(
  dialling: ConnectionOptions,
  accepting: ConnectionOptions,
): Promise<{ readonly dialled: Connection; readonly accepted: Connection; close(): void }> {
  const listener = new TestListener()
  const port = await listener.listen()
  const target = { address: '127.0.0.1', port, id: accepting.key.id.toString('hex') }
  const [dialled, accepted] = await Promise.all([
    dial(target, dialling),
    listener.socket().then((socket) => accept(socket, accepting)),
  ])
  return {
    dialled,
    accepted,
    close: () => {
      dialled.close()
      accepted.close()
      listener.close()
    },
  }
}
