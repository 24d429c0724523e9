import type { Socket } from 'node:net'

/** Where an attack goes. */
export interface AttackTarget {
  /** On loopback. */
  readonly port: number
  /** Path of a key without limits of its own, for attacks that a customer makes. */
  readonly keyPath: string
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
  /** Seconds for which it runs. */
  readonly seconds: number
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
  readonly #open: () => Socket
  #isStopped = false

  /** @param open makes a socket and has it do its part */
  constructor(count: number, open: () => Socket) {
    this.#open = open
    for (let i = 0; i < count; i += 1) this.#add()
  }

  get size(): number {
    return this.#sockets.size
  }

  stop(): void {
    this.#isStopped = true
    for (const socket of this.#sockets) socket.destroy()
  }

  #add(): void {
    this.opened += 1
    const socket = this.#open()
    this.#sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => {
      this.#sockets.delete(socket)
      if (!this.#isStopped) setTimeout(() => this.#isStopped || this.#add(), 10)
    })
  }
}
