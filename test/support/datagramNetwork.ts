import type { DatagramListener, OpenDatagrams } from '../../src/p2p/discovery/datagrams.ts'

interface Datagram {
  readonly bytes: Buffer
  readonly from: string
  readonly to: string
}

/** Datagrams between the nodes of one process: some are lost, those that are not arrive in order. */
export class DatagramNetwork {
  readonly #listeners = new Map<string, DatagramListener>()
  readonly #lost: () => boolean
  #queue: Datagram[] = []
  delivered = 0

  /** @param lost whether the next one is */
  constructor(lost: () => boolean = () => false) {
    this.#lost = lost
  }

  /** Opens a socket at an address. */
  at(address: string, port: number): OpenDatagrams {
    const from = `${address} ${port}`
    return async (listener) => {
      this.#listeners.set(from, listener)
      return {
        port,
        send: (bytes, port, address) => {
          this.send(bytes, from, `${address} ${port}`)
        },
        close: async () => {
          this.#listeners.delete(from)
        },
      }
    }
  }

  /** Sends as if from an address, which need not be the sender's own. */
  send(bytes: Buffer, from: string, to: string): void {
    if (!this.#lost()) this.#queue.push({ bytes, from, to })
  }

  /** Delivers what is under way and what is sent because of it, until nothing is. */
  deliver(): void {
    while (this.#queue.length > 0) {
      const queue = this.#queue
      this.#queue = []
      for (const { bytes, from, to } of queue) {
        const [address = '', port] = from.split(' ')
        const listener = this.#listeners.get(to)
        if (listener === undefined) continue
        this.delivered += 1
        listener(bytes, address, Number(port))
      }
    }
  }
}
