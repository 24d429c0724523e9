import type { NodeProcess } from '../support/nodeProcess.ts'
import { SocketClient } from '../support/socketClient.ts'
import { TRANSFER_TOPIC } from './tokenChain.ts'

/** A log as far as tests look into it. */
export interface FoundLog {
  readonly blockHash: string
  readonly transactionHash: string
  readonly removed: boolean
}

/** A notification: what it is about, and the hash or the log that it brings. */
export type News = readonly ['head' | 'pending', string] | readonly ['log' | 'nobody', FoundLog]

/** Filters over HTTP, by what they tell of. */
export interface Filters {
  readonly blocks: string
  /** Logs of the token from now on. */
  readonly logs: string
  /** Logs of the token from a height on. */
  readonly range: string
  readonly pending: string
}

/** A client that has all filters and subscriptions of a token, and asks over HTTP. */
export class ChainClient {
  readonly filters: Filters
  readonly #node: NodeProcess
  readonly #token: string
  readonly #range: object
  readonly #socket: SocketClient
  readonly #kinds: ReadonlyMap<string, News[0]>
  #taken = 0

  private constructor(parts: {
    node: NodeProcess
    token: string
    range: object
    filters: Filters
    socket: SocketClient
    kinds: ReadonlyMap<string, News[0]>
  }) {
    this.#node = parts.node
    this.#token = parts.token
    this.#range = parts.range
    this.filters = parts.filters
    this.#socket = parts.socket
    this.#kinds = parts.kinds
  }

  /** @param from height from which the filter over a range looks */
  static async open(node: NodeProcess, token: string, from: number): Promise<ChainClient> {
    const range = { fromBlock: `0x${from.toString(16)}`, toBlock: 'latest', address: token }
    const socket = await SocketClient.open(Number(new URL(node.url).port))
    const kinds = new Map<string, News[0]>()
    kinds.set(await socket.subscribe('newHeads'), 'head')
    kinds.set(await socket.subscribe('logs', { address: token }), 'log')
    kinds.set(await socket.subscribe('newPendingTransactions'), 'pending')
    const topics = [TRANSFER_TOPIC, null, `0x${'9'.repeat(64)}`]
    kinds.set(await socket.subscribe('logs', { topics }), 'nobody')
    const filters = {
      blocks: await node.request<string>('eth_newBlockFilter'),
      logs: await node.request<string>('eth_newFilter', [{ address: token }]),
      range: await node.request<string>('eth_newFilter', [range]),
      pending: await node.request<string>('eth_newPendingTransactionFilter'),
    }
    return new ChainClient({ node, token, range, filters, socket, kinds })
  }

  ask<T>(method: string, ...params: readonly unknown[]): Promise<T> {
    return this.#node.request<T>(method, params)
  }

  /** What a filter tells of since its last poll. */
  changes<T>(filter: string): Promise<readonly T[]> {
    return this.ask('eth_getFilterChanges', filter)
  }

  /** Logs of the token in a block. */
  logsOf({ hash }: { readonly hash: string }): Promise<readonly FoundLog[]> {
    return this.ask('eth_getLogs', { blockHash: hash, address: this.#token })
  }

  /** Logs of the token from the height of the opening on. */
  allLogs(): Promise<readonly FoundLog[]> {
    return this.ask('eth_getLogs', this.#range)
  }

  /** Waits for so many notifications; answers with all that came since the last call, in their order. */
  async news(count: number): Promise<readonly News[]> {
    await this.#socket.untilNotifications(this.#taken + count)
    // Who asks behind the last of them sees that no more of them come.
    await this.#socket.ask('eth_blockNumber')
    const found = this.#socket.notifications.slice(this.#taken).map(({ subscription, result }): News => {
      const kind = this.#kinds.get(subscription)
      if (kind === undefined) throw new Error('notification of another subscription')
      if (kind === 'log' || kind === 'nobody') return [kind, result as FoundLog]
      return [kind, kind === 'head' ? (result as { hash: string }).hash : String(result)]
    })
    this.#taken = this.#socket.notifications.length
    return found
  }

  /** Removes the filters; true when all were still there. */
  async leave(): Promise<boolean> {
    this.#socket.close()
    const removed = Object.values(this.filters).map((filter) => this.ask('eth_uninstallFilter', filter))
    return (await Promise.all(removed)).every((was) => was === true)
  }
}
