import { Agent, request } from 'node:http'
import { monitorEventLoopDelay } from 'node:perf_hooks'

/** Result of the pollers. Latencies in milliseconds. */
export interface PollStats {
  readonly requests: number
  readonly p50: number
  readonly p99: number
  readonly p999: number
  readonly most: number
  readonly failures: number
  /** 99th percentile of the delay of this process itself, which the latencies include. */
  readonly ownDelay: number
}

const BODY = JSON.stringify({ jsonrpc: '2.0', id: '1', method: 'mnr_getWork', params: [] })

/** Polls for work on a number of connections, each every `period` milliseconds, until it is stopped. */
export class WorkPollers {
  readonly #url: string
  readonly #latencies: number[] = []
  readonly #timers: NodeJS.Timeout[] = []
  readonly #agents: Agent[] = []
  readonly #delay = monitorEventLoopDelay({ resolution: 5 })
  #failures = 0

  constructor(url: string, connections: number, period: number) {
    this.#url = url
    this.#delay.enable()
    for (let index = 0; index < connections; index += 1) {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      this.#agents.push(agent)
      const begin = setTimeout(
        () => {
          void this.#poll(agent)
          this.#timers.push(setInterval(() => void this.#poll(agent), period))
        },
        (index * period) / connections,
      )
      this.#timers.push(begin)
    }
  }

  /** Resets the results. */
  reset(): void {
    this.#latencies.length = 0
    this.#failures = 0
    this.#delay.reset()
  }

  stats(): PollStats {
    const sorted = this.#latencies.toSorted((a, b) => a - b)
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
    return {
      requests: sorted.length,
      p50: at(0.5),
      p99: at(0.99),
      p999: at(0.999),
      most: sorted.at(-1) ?? 0,
      failures: this.#failures,
      ownDelay: this.#delay.percentile(99) / 1e6,
    }
  }

  stop(): void {
    for (const timer of this.#timers) clearInterval(timer)
    for (const agent of this.#agents) agent.destroy()
    this.#delay.disable()
  }

  async #poll(agent: Agent): Promise<void> {
    const start = performance.now()
    try {
      const text = await post(this.#url, agent)
      if (!text.includes('"blockHashForMergedMining"')) throw new Error(text)
      this.#latencies.push(performance.now() - start)
    } catch {
      this.#failures += 1
    }
  }
}

function post(url: string, agent: Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': String(BODY.length) }
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      response.once('end', () => resolve(text)).once('error', reject)
    })
    sent.once('error', reject).end(BODY)
  })
}
