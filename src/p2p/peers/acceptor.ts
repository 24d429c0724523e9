import { createServer, type Server, type Socket } from 'node:net'
import type { Connection } from '../connection/connection.ts'
import type { HalfOpen } from './halfOpen.ts'
import { plainAddress } from './networkGroup.ts'
import type { ScreenRefusal } from './peerAdmission.ts'
import type { PeerTransport } from './ports.ts'

/** Sockets that wait to be accepted by the process. */
const BACKLOG = 128

/** Everything that an {@link Acceptor} needs. */
export interface AcceptorParts {
  readonly accept: PeerTransport['accept']
  readonly halfOpen: HalfOpen
  /** Why a socket of an address is closed at once; null when it is not. */
  readonly screen: (address: string) => ScreenRefusal | null
  /** Takes a connection whose handshake is over. */
  readonly onConnection: (connection: Connection) => void
  /** Counts what was closed before that. */
  readonly onRefused: (why: ScreenRefusal | 'halfOpen' | 'handshake', address: string) => void
}

/** The port where other nodes come in. */
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
    // Descriptors can be used up: whoever comes then is lost, the port stays.
    server.on('error', () => undefined)
    return acceptor
  }

  /** Null once it is closed. */
  get listening(): { readonly address: string; readonly port: number } | null {
    const bound = this.#server.address()
    return bound === null || typeof bound === 'string' ? null : { address: bound.address, port: bound.port }
  }

  /** Takes nobody any more. @returns when all connections that came in are over */
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
