import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request as a proxy sees it. */
export interface ProxiedRequest {
  readonly method: string
  readonly params: readonly unknown[]
}

/** What a proxy does with a request in place of passing it on: an answer, an HTTP status, or nothing. */
export type Fault =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } }
  | { readonly status: number }
  | null

/** An upstream that is not itself: it counts requests, and answers some of them otherwise. */
export class FaultyProxy {
  /** Requests that came, by method. */
  readonly counts = new Map<string, number>()
  /** Decides about each request; what it returns null for is passed on. */
  fault: (request: ProxiedRequest) => Fault = () => null
  /** Changes results that are passed on. */
  change: (request: ProxiedRequest, result: unknown) => unknown = (_, result) => result
  /** Milliseconds before each answer. */
  delay = 0
  /** Most requests that were under way at once. */
  peak = 0
  #running = 0
  /** The node that is asked. */
  target: string
  readonly #server: Server

  private constructor(target: string) {
    this.target = target
    this.#server = createServer((request, response) => {
      this.#running += 1
      this.peak = Math.max(this.peak, this.#running)
      this.#answer(request, response)
        .catch(() => response.destroy())
        .finally(() => {
          this.#running -= 1
        })
    })
  }

  /** A proxy in front of the address of a node. */
  static async open(target: string): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(target)
    await proxy.listen(0)
    return proxy
  }

  /** The address, with what looks like a key. */
  get url(): string {
    return `http://127.0.0.1:${this.port}/v1/secret-key-0123456789?apikey=another-secret`
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get requests(): number {
    return [...this.counts.values()].reduce((sum, count) => sum + count, 0)
  }

  async listen(port: number): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve))
  }

  /** Takes no more requests. */
  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const body = Buffer.concat(parts).toString('utf8')
    const { id, method, params } = JSON.parse(body) as ProxiedRequest & { id: number }
    this.counts.set(method, (this.counts.get(method) ?? 0) + 1)
    if (this.delay > 0) await new Promise((resolve) => setTimeout(resolve, this.delay).unref())
    const fault = this.fault({ method, params })
    if (fault !== null && 'status' in fault) {
      response.writeHead(fault.status, { 'content-type': 'text/plain' }).end('no')
      return
    }
    const answer = fault ?? (await this.#passOn(body, { method, params }))
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
  }

  async #passOn(body: string, request: ProxiedRequest): Promise<object> {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(this.target, { method: 'POST', headers, body })
    const { result, error } = (await response.json()) as { result?: unknown; error?: unknown }
    return error === undefined ? { result: this.change(request, result) } : { error }
  }
}
