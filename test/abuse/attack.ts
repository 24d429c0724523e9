import type { Socket } from 'node:net'

/** Where an attack goes. */
export interface AttackTarget {
  /** On loopback. */
  readonly port: number
  /** Path of a key without limits of its own, for attacks that a customer makes; `/` for strangers. */
  readonly path: string
  /** Addresses of this machine that the sockets come from by turns. */
  readonly addresses: readonly string[]
}

/** What runs until it is stopped. */
export interface RunningAttack {
  /** What was seen, for the report. */
  summary(): string
  stop(): void
}

/** An attack. Its traffic goes to loopback only, and ends with it. */
export interface Attack {
  readonly name: string
  start(target: AttackTarget): RunningAttack
}

/** The bytes of a POST. */
export function post(path: string, body: string): string {
  return (
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  )
}

/** A JSON-RPC request as text. */
export function call(method: string, ...params: readonly unknown[]): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
}

/** Sockets that are made again when they end, until all are stopped. */
export class SocketCrowd {
  opened = 0
  readonly #sockets = new Set<Socket>()
  readonly #open: (localAddress: string) => Socket
  readonly #addresses: readonly string[]
  #isStopped = false

  /** @param open makes a socket from an address and has it do its part */
  constructor(count: number, { addresses }: AttackTarget, open: (localAddress: string) => Socket) {
    this.#open = open
    this.#addresses = addresses
    for (let i = 0; i < count; i += 1) this.#add(i)
  }

  get size(): number {
    return this.#sockets.size
  }

  stop(): void {
    this.#isStopped = true
    for (const socket of this.#sockets) socket.destroy()
  }

  #add(index: number): void {
    this.opened += 1
    const socket = this.#open(this.#addresses[index % this.#addresses.length] ?? '127.0.0.1')
    this.#sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => {
      this.#sockets.delete(socket)
      if (!this.#isStopped) setTimeout(() => this.#isStopped || this.#add(index), 10)
    })
  }
}
