import { createServer, type Server, type Socket } from 'node:net'
import type { Connection } from '../connection/connection.ts'
import type { HalfOpen } from './halfOpen.ts'
import { plainAddress } from './networkGroup.ts'
import type { ScreenRefusal } from './peerAdmission.ts'
import type { PeerTransport } from './ports.ts'

/** Backlog of sockets to be accepted. */
const BACKLOG = 128

/** Dependencies of an {@link Acceptor}. */
export interface AcceptorParts {
  readonly accept: PeerTransport['accept']
  readonly halfOpen: HalfOpen
  /** Reason why a socket of an address is closed at once; null to accept it. */
  readonly screen: (address: string) => ScreenRefusal | null
  /** Receives a connection whose handshake is complete. */
  readonly onConnection: (connection: Connection) => void
  /** Counts connections closed before that. */
  readonly onRefused: (why: ScreenRefusal | 'halfOpen' | 'handshake', address: string) => void
}

/** The port for incoming connections. */
export class Acceptor {
  readonly #parts: AcceptorParts
  readonly #server: Server

  private constructor(parts: AcceptorParts) {
    this.#parts = parts
    this.#server = createServer({ noDelay: true }, (socket) => void this.#accept(socket))
  }

  /** Listens. @param port 0 for any that is free @throws the error of the socket */
  static async open(host: string, port: number, parts: AcceptorParts): Promise<Acceptor> {
    const acceptor = new Acceptor(parts)
    const server = acceptor.#server
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen({ host, port, backlog: BACKLOG }, () => {
        server.removeListener('error', reject)
        resolve()
      })
    })
    // File descriptors can be exhausted: a connection is lost then, the port stays open.
    server.on('error', () => undefined)
    return acceptor
  }

  /** Null once it is closed. */
  get listening(): { readonly address: string; readonly port: number } | null {
    const bound = this.#server.address()
    return bound === null || typeof bound === 'string' ? null : { address: bound.address, port: bound.port }
  }

  /** Stops accepting. @returns when all incoming connections have ended */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve())
    })
  }

  async #accept(socket: Socket): Promise<void> {
    const { accept, halfOpen, screen, onConnection, onRefused } = this.#parts
    socket.on('error', () => undefined)
    const address = plainAddress(socket.remoteAddress ?? '')
    const refusal = screen(address)
    if (refusal !== null) {
      socket.destroy()
      onRefused(refusal, address)
      return
    }
    const handshake = halfOpen.begin(address)
    if (handshake === null) {
      socket.destroy()
      onRefused('halfOpen', address)
      return
    }
    let connection: Connection
    try {
      connection = await accept(socket, handshake.signal)
    } catch {
      socket.destroy()
      onRefused('handshake', address)
      return
    } finally {
      handshake.done()
    }
    onConnection(connection)
  }
}
