import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { arrivalOf, type LinkConditions, PERFECT_LINK } from './linkConditions.ts'

/** What waits in the relay in one direction of a connection before no more is read, bytes. */
const MAX_WAITING = 4 * 1024 * 1024

/** The relay's view of the whole network. */
export interface Network {
  conditions(from: string, to: string): LinkConditions
  /** Whether two addresses are in different parts of a network that is split. */
  isSplit(from: string, to: string): boolean
  /** Address that others see somebody come from. */
  seenAs(from: string): string
  readonly random: () => number
}

/**
 * The way to one node: whoever wants to reach it connects here, and the node sees the address that the connection
 * came from. What goes both ways is late, in order; a split ends connections and lets none begin.
 */
export class Relay {
  readonly #server: Server
  readonly #network: Network
  readonly #node: string
  readonly #port: number
  readonly #pairs = new Map<Socket, { readonly from: string; readonly out: Socket }>()

  private constructor(network: Network, node: string, port: number) {
    this.#network = network
    this.#node = node
    this.#port = port
    // The answering side ends by itself when the other has ended.
    this.#server = createServer({ allowHalfOpen: false, noDelay: true }, (socket) => this.#take(socket))
  }

  /**
   * Opens the way to a node.
   * @param open where others connect
   * @param node where it listens, on the same port
   */
  static async open(network: Network, open: string, node: string, port: number): Promise<Relay> {
    const relay = new Relay(network, node, port)
    relay.#server.listen(port, open)
    await once(relay.#server, 'listening')
    return relay
  }

  /** Connections under way. */
  get size(): number {
    return this.#pairs.size
  }

  /** Ends the connections that cross a split. */
  cut(): void {
    for (const [socket, { from, out }] of this.#pairs) {
      if (!this.#network.isSplit(from, this.#node)) continue
      socket.destroy()
      out.destroy()
    }
  }

  close(): void {
    this.#server.close()
    for (const [socket, { out }] of this.#pairs) {
      socket.destroy()
      out.destroy()
    }
  }

  #take(socket: Socket): void {
    const from = socket.remoteAddress ?? ''
    socket.on('error', () => undefined)
    if (this.#network.isSplit(from, this.#node)) {
      socket.destroy()
      return
    }
    const out = connect({
      host: this.#node,
      port: this.#port,
      localAddress: this.#network.seenAs(from),
      noDelay: true,
    })
    out.on('error', () => socket.destroy())
    this.#pairs.set(socket, { from, out })
    socket.on('close', () => this.#pairs.delete(socket))
    this.#pass(socket, out, from, this.#node)
    this.#pass(out, socket, this.#node, from)
  }

  #pass(source: Socket, target: Socket, from: string, to: string): void {
    let last = 0
    let waiting = 0
    const later = (bytes: number, call: () => void) => {
      const now = performance.now()
      last = arrivalOf(bytes, now, last, this.#network.conditions(from, to), this.#network.random)
      setTimeout(call, last - now)
    }
    source.on('data', (piece) => {
      waiting += piece.length
      if (waiting >= MAX_WAITING) source.pause()
      later(piece.length, () => {
        waiting -= piece.length
        if (waiting < MAX_WAITING) source.resume()
        if (!target.destroyed) target.write(piece)
      })
    })
    source.on('close', () => later(0, () => target.destroy()))
  }
}

/** A network without delays or splits. */
export const PLAIN_NETWORK: Network = {
  conditions: () => PERFECT_LINK,
  isSplit: () => false,
  seenAs: (from) => from,
  random: Math.random,
}
