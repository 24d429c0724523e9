import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import type { HistoryWriter } from './history.ts'
import type { AskedMember, ClientKey } from './recordingClient.ts'

export interface SubscriberOptions {
  /** Of the client, in the history. */
  readonly id: number
  readonly writer: HistoryWriter
  readonly random: () => number
  readonly key: ClientKey | null
  readonly anyMember: () => AskedMember
  /** Milliseconds for a connection and an answer. */
  readonly timeout: number
}

interface RpcHeader {
  readonly number: string
  readonly hash: string
  readonly parentHash: string
}

interface Message {
  readonly id?: number
  readonly result?: unknown
  readonly params?: { readonly result?: unknown }
}

const SUBSCRIBED_ID = 2
const SHORTEST_MS = 300
const LONGEST_MS = 2500
const PAUSE_MS = 100
/** For what was not told while clients ran: longer than a member needs that still joins its fleet. */
const FINAL_MS = 30_000
const FINAL_LOOK_MS = 50

/**
 * A client that subscribes to heads, and goes on at another member from time to time and whenever its connection
 * breaks: since the last block that it was told of (decisions.md D68).
 */
export class HeadSubscriber {
  readonly #options: SubscriberOptions
  #last: string | null = null
  #stopped = false

  constructor(options: SubscriberOptions) {
    this.#options = options
  }

  /** Runs until it is stopped. */
  async run(): Promise<void> {
    while (!this.#stopped) {
      const until = performance.now() + SHORTEST_MS + this.#options.random() * (LONGEST_MS - SHORTEST_MS)
      await this.#session(() => this.#stopped || performance.now() >= until)
      await sleep(PAUSE_MS)
    }
  }

  stop(): void {
    this.#stopped = true
  }

  /** Goes on until it was told of a block, the last head of the fleet: as often as that takes, but not forever. */
  async finish(hash: string): Promise<void> {
    for (const end = performance.now() + FINAL_MS; this.#last !== hash && performance.now() < end; ) {
      const until = performance.now() + this.#options.timeout
      await this.#session(() => this.#last === hash || performance.now() >= until)
    }
  }

  /** One connection, until it breaks or is over. */
  async #session(isOver: () => boolean): Promise<void> {
    const { anyMember, key, timeout } = this.#options
    const { member, origin } = anyMember()
    const begin = performance.now()
    const url = `${origin.replace(/^http/, 'ws')}/${key?.secret ?? ''}`
    const socket = new WebSocket(url, { handshakeTimeout: timeout })
    let isOpen = true
    socket.on('error', () => undefined)
    socket.once('close', () => {
      isOpen = false
    })
    socket.once('open', () => this.#subscribe(socket))
    socket.on('message', (data) => {
      if (isOpen) this.#take(JSON.parse(String(data)) as Message, member, begin, socket)
    })
    while (isOpen && !isOver()) await sleep(FINAL_LOOK_MS)
    isOpen = false
    socket.terminate()
  }

  /** The first time it asks where it begins. */
  #subscribe(socket: WebSocket): void {
    const ask = (id: number, method: string, params: readonly unknown[]) =>
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    if (this.#last === null) ask(1, 'eth_getBlockByNumber', ['latest', false])
    else ask(SUBSCRIBED_ID, 'eth_subscribe', ['newHeads', { fromBlock: this.#last }])
  }

  #take({ id, result, params }: Message, member: number, begin: number, socket: WebSocket): void {
    if (id === SUBSCRIBED_ID) {
      // Away, or it does not have the block yet: another member may.
      if (result === undefined) socket.terminate()
      return
    }
    const header = (params?.result ?? result) as RpcHeader | undefined
    if (header === undefined) {
      socket.terminate()
      return
    }
    const isFirst = this.#last === null
    this.#last = header.hash
    this.#options.writer.write({
      ...{ type: 'entry', client: this.#options.id, member, begin, end: performance.now() },
      operation: {
        kind: 'told',
        number: Number(header.number),
        parent: isFirst ? null : header.parentHash,
      },
      outcome: { kind: 'answered', value: header.hash },
    })
    if (isFirst) this.#subscribe(socket)
  }
}
