import { Agent, request } from 'node:http'

/** What a light client saw, milliseconds. */
export interface LightStats {
  readonly requests: number
  readonly failures: number
  readonly p50: number
  readonly p99: number
  readonly most: number
}

const SOCKETS = 16

/**
 * Asks at a constant rate, whatever becomes of the answers. A request counts from the moment at which it was due, so
 * that a server that stands still is seen in all requests that came meanwhile.
 */
export class LightClient {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: SOCKETS })
  readonly #latencies: number[] = []
  readonly #timer: NodeJS.Timeout
  readonly #url: URL
  readonly #body: string
  readonly #localAddress: string
  #sent = 0
  #failures = 0
  readonly #began = performance.now()

  /**
   * @param rate requests a second
   * @param localAddress where the requests come from
   */
  constructor(url: string, body: string, rate: number, localAddress: string) {
    this.#localAddress = localAddress
    this.#url = new URL(url)
    this.#body = body
    this.#timer = setInterval(() => {
      const due = Math.floor(((performance.now() - this.#began) * rate) / 1000)
      while (this.#sent < due) {
        this.#sent += 1
        this.#ask(this.#began + (this.#sent * 1000) / rate)
      }
    }, 2)
  }

  /** Stops, and waits a moment for late answers. */
  async stop(): Promise<LightStats> {
    clearInterval(this.#timer)
    await new Promise((resolve) => setTimeout(resolve, 500))
    this.#agent.destroy()
    const sorted = this.#latencies.toSorted((a, b) => a - b)
    const at = (share: number) =>
      sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
    return { requests: this.#sent, failures: this.#failures, p50: at(0.5), p99: at(0.99), most: at(1) }
  }

  #ask(due: number): void {
    const done = (isAnswer: boolean) => {
      if (isAnswer) this.#latencies.push(performance.now() - due)
      else this.#failures += 1
    }
    const { hostname, port, pathname } = this.#url
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(this.#body) }
    const sent = request(
      {
        agent: this.#agent,
        localAddress: this.#localAddress,
        host: hostname,
        port,
        path: pathname,
        method: 'POST',
        headers,
      },
      (response) => {
        response.resume()
        response.once('end', () => done(response.statusCode === 200))
        response.once('error', () => done(false))
      },
    )
    sent.once('error', () => done(false))
    sent.end(this.#body)
  }
}
