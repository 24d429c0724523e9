import { setImmediate as nextTurn } from 'node:timers/promises'
import { WebSocket } from 'ws'
import type { Service } from '../../src/node/service.ts'

/** A notification of a subscription. */
export interface Notification {
  readonly subscription: string
  readonly result: unknown
}

/** A WebSocket client that keeps answers and notifications apart. */
export class SocketClient {
  readonly notifications: Notification[] = []
  readonly socket: WebSocket
  #lastId = 0
  readonly #waiting = new Map<number, (answer: { result?: unknown; error?: { code: number } }) => void>()
  #onNotification: (() => void) | undefined

  private constructor(socket: WebSocket) {
    this.socket = socket
    socket.on('message', (data, isBinary) => {
      if (isBinary) throw new Error('binary frame')
      const message = JSON.parse(String(data)) as { id?: number; method?: string; params?: Notification }
      if (message.method === 'eth_subscription' && message.params !== undefined) {
        this.notifications.push(message.params)
        this.#onNotification?.()
      } else this.#waiting.get(message.id ?? 0)?.(message as { result?: unknown })
    })
  }

  static async open(port: number, path = '/'): Promise<SocketClient> {
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`)
    await new Promise((resolve, reject) => {
      socket.once('open', resolve)
      socket.once('error', reject)
    })
    return new SocketClient(socket)
  }

  /** The whole answer. */
  ask(
    method: string,
    ...params: readonly unknown[]
  ): Promise<{ result?: unknown; error?: { code: number } }> {
    this.#lastId += 1
    const id = this.#lastId
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve)
      this.socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    })
  }

  /** Handle of a new subscription. */
  async subscribe(...params: readonly unknown[]): Promise<string> {
    const { result } = await this.ask('eth_subscribe', ...params)
    if (typeof result !== 'string') throw new Error('no subscription')
    return result
  }

  /** Resolves when so many notifications have come in all. */
  async untilNotifications(count: number): Promise<void> {
    while (this.notifications.length < count) {
      await new Promise<void>((resolve) => {
        this.#onNotification = resolve
      })
    }
  }

  close(): void {
    this.socket.terminate()
  }
}

/**
 * Has a client of a service in this process not read any more, and ask one thing after the other until the system takes
 * no more of the answers. One request has no answer then.
 */
export async function pauseUntilBehind(
  service: Service,
  client: SocketClient,
  method: string,
  ...params: readonly unknown[]
): Promise<void> {
  client.socket.pause()
  const stats = () => service.stats().front
  const ask = async (...request: readonly [method: string, ...params: readonly unknown[]]) => {
    const { messages } = stats()
    void client.ask(...request)
    while (stats().messages === messages) await nextTurn()
  }
  for (;;) {
    await ask(method, ...params)
    while (stats().exchanges > 0) await nextTurn()
    // The answer to this comes at once unless it waits.
    await ask('eth_chainId')
    if (stats().exchanges > 0) return
  }
}
