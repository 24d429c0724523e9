/** @import { FeedState, Head } from '../types.js' */
/** @import { RpcClient } from './client.js' */
/** @import { Endpoint } from './endpoint.js' */

const POLL_MS = 5000
const FIRST_RETRY_MS = 1000
const LONGEST_RETRY_MS = 30_000

/**
 * @typedef {object} FeedListener
 * @property {(head: Head) => void} onHead
 * @property {(state: FeedState) => void} onState
 */

/** Follows the head over a WebSocket, and by asking again and again while there is none. */
export class HeadFeed {
  #client
  #endpoint
  #listener
  /** @type {WebSocket | null} */
  #socket = null
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #pollTimer
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #retryTimer
  #retryMs = FIRST_RETRY_MS
  #isLive = false
  #isStopped = false

  /**
   * @param {RpcClient} client
   * @param {Endpoint} endpoint
   * @param {FeedListener} listener
   */
  constructor(client, endpoint, listener) {
    this.#client = client
    this.#endpoint = endpoint
    this.#listener = listener
  }

  start() {
    void this.#poll()
    this.#connect()
  }

  /** Ends connection and polling for good. */
  stop() {
    this.#isStopped = true
    clearTimeout(this.#pollTimer)
    clearTimeout(this.#retryTimer)
    this.#socket?.close()
  }

  #connect() {
    if (this.#isStopped) return
    const socket = new WebSocket(this.#endpoint.socketUrl)
    this.#socket = socket
    socket.addEventListener('open', () => {
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }))
    })
    socket.addEventListener('message', ({ data }) => this.#receive(socket, JSON.parse(String(data))))
    socket.addEventListener('close', () => this.#lost())
  }

  /**
   * @param {WebSocket} socket
   * @param {any} message
   */
  #receive(socket, message) {
    if (message.method === 'eth_subscription') {
      this.#listener.onHead(headOf(message.params.result))
      return
    }
    if (typeof message.result !== 'string') {
      // No subscriptions for this key or on this node: polling goes on.
      socket.close()
      return
    }
    this.#retryMs = FIRST_RETRY_MS
    this.#isLive = true
    clearTimeout(this.#pollTimer)
    this.#listener.onState('live')
    // What came between the first look and the subscription.
    void this.#look()
  }

  #lost() {
    if (this.#isStopped) return
    if (this.#isLive) {
      this.#isLive = false
      void this.#poll()
    }
    this.#retryTimer = setTimeout(() => this.#connect(), this.#retryMs)
    this.#retryMs = Math.min(LONGEST_RETRY_MS, this.#retryMs * 2)
  }

  async #poll() {
    const isReached = await this.#look()
    if (this.#isLive || this.#isStopped) return
    this.#listener.onState(isReached ? 'polling' : 'offline')
    clearTimeout(this.#pollTimer)
    this.#pollTimer = setTimeout(() => void this.#poll(), POLL_MS)
  }

  async #look() {
    try {
      const block = await this.#client.call('eth_getBlockByNumber', ['latest', false])
      if (!this.#isStopped) this.#listener.onHead(headOf(block))
      return true
    } catch {
      return false
    }
  }
}

/**
 * @param {any} header
 * @returns {Head}
 */
function headOf({ number, hash, timestamp }) {
  return { number: BigInt(number), hash: String(hash), timestamp: Number(timestamp) }
}
