import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/** Result of a load. Latencies in milliseconds. */
export interface LoadStats {
  readonly requests: number
  readonly seconds: number
  readonly requestsPerSecond: number
  readonly p50: number
  readonly p99: number
  readonly p999: number
  readonly most: number
  /** JSON-RPC or HTTP errors, connections that broke, requests without an answer. */
  readonly failures: number
  readonly firstFailure: string | null
  readonly outcomes: Outcomes
  /** Time at which the first request was due, in milliseconds since 1970. */
  readonly startedAt: number
  /** Per second, if requested. */
  readonly timeline: readonly SecondStats[]
  /** Processor time of the generator in seconds. */
  readonly processorSeconds: number
}

/** Outcomes of requests. */
export interface Outcomes {
  /** Skipped because no connection was free; they never reached the node. */
  readonly dropped: number
  /** Responses with a result. */
  readonly results: number
  /** HTTP 429 with `Retry-After` */
  readonly refused: number
  /** Any other error of JSON-RPC or HTTP, 429 without `Retry-After` among them. */
  readonly errors: number
  /** Connections that ended with a pending request. */
  readonly broken: number
  readonly unanswered: number
}

/** One second of a load; latencies in milliseconds of responses with a result. */
export interface SecondStats {
  readonly outcomes: Outcomes
  readonly p50: number
  readonly p99: number
  readonly most: number
}

/** Result of idle WebSockets, which sent one request at the end. */
export interface IdleStats {
  readonly opened: number
  /** Sockets closed by the node before that. */
  readonly closed: number
  readonly answered: number
  /** Time until all had their response. */
  readonly milliseconds: number
}

/** WebSockets that are open. */
export interface IdleSockets {
  /** Sends one request on each. */
  finish(): Promise<IdleStats>
}

export interface LoadOptions {
  readonly seconds: number
  readonly connections: number
  /** Requests per second of an open loop; latencies count from when a request was due. Absent for a closed loop. */
  readonly rate?: number
  /** Sends each request once, without repetition. */
  readonly once?: boolean
  /** In an open loop: skips a request that is due while no connection is free, instead of sending it late. */
  readonly drops?: boolean
  /** Also reports every second. */
  readonly timeline?: boolean
  /** Paths that replace that of the address, round-robin over the requests. */
  readonly paths?: readonly string[]
  /** Lines such as `Origin: http://localhost:3000` that each HTTP request has beside its own three. */
  readonly headers?: readonly string[]
  /** Niceness of the generator, as of nice(1). */
  readonly niceness?: number
}

/** Result of subscribers. Milliseconds from the request that made the block to the notification. */
export interface SubscriberStats {
  readonly events: number
  readonly delivered: number
  readonly missing: number
  readonly p50: number
  readonly p99: number
  readonly most: number
  /** From the first notified subscriber to the last, median over the events. */
  readonly spread: number
}

export interface SubscriberOptions {
  /** `ws:` address. */
  readonly url: string
  /** Subscribers, each on a connection of its own. */
  readonly connections: number
  /** Body of the request that subscribes. */
  readonly subscription: string
  readonly triggerUrl: string
  /** Bodies of requests each of which mines one block. */
  readonly triggers: readonly string[]
  readonly pauseMilliseconds: number
}

const READY_POLL_MS = 20
const WORKSPACE = fileURLToPath(new URL('../../native', import.meta.url))

/** The load generator, `native/crates/load`, built on demand. Files of requests live as long as it does. */
export class Generator {
  readonly #folder = mkdtempSync(join(tmpdir(), 'rhizome-load-'))
  readonly #program: string
  #files = 0
  #jobs = 0

  /** @throws Error when cargo cannot build it */
  constructor() {
    const args = ['build', '--quiet', '--release', '-p', 'rhizome-load', '--message-format', 'json']
    const output = execFileSync('cargo', args, {
      cwd: WORKSPACE,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
      maxBuffer: 2 ** 26,
    })
    const built = output
      .split('\n')
      .filter((line) => line.includes('"executable":"'))
      .map((line) => (JSON.parse(line) as { executable: string }).executable)
    const program = built.at(-1)
    if (program === undefined) throw new Error('cargo built no load generator')
    this.#program = program
  }

  /** Writes requests to a file for later loads; returns its name. */
  write(bodies: readonly string[]): string {
    const file = join(this.#folder, `requests-${this.#files++}`)
    writeFileSync(file, `${bodies.join('\n')}\n`)
    return file
  }

  /** Loads a node over HTTP or WebSocket, according to the address. */
  load(url: string, requests: string, { niceness = 0, ...options }: LoadOptions): Promise<LoadStats> {
    return this.#run<LoadStats>({ mode: 'load', url, requests, ...options }, niceness)
  }

  /** Opens a number of idle WebSockets. */
  async idle(url: string, connections: number, request: string): Promise<IdleSockets> {
    const ready = join(this.#folder, `idle-${this.#jobs}`)
    const { child, output } = this.#start({ mode: 'idle', url, connections, request, ready })
    const stats = output.then((text) => JSON.parse(text) as IdleStats)
    let isOver = false
    const over = stats.finally(() => {
      isOver = true
    })
    while (!existsSync(ready) && !isOver) await Promise.race([sleep(READY_POLL_MS), over])
    return {
      finish: () => {
        child.stdin.end()
        return stats
      },
    }
  }

  /** Subscribes, mines blocks and measures their notifications. `onReady` runs when all have subscribed. */
  async subscribe(options: SubscriberOptions, onReady: () => void): Promise<SubscriberStats> {
    const { triggers, ...rest } = options
    const ready = join(this.#folder, 'ready')
    rmSync(ready, { force: true })
    const watch = setInterval(() => {
      if (!existsSync(ready)) return
      clearInterval(watch)
      onReady()
    }, READY_POLL_MS)
    try {
      const job = { mode: 'subscribe', ...rest, triggers: this.write(triggers), ready }
      return await this.#run<SubscriberStats>(job)
    } finally {
      clearInterval(watch)
    }
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async #run<T>(job: object, niceness = 0): Promise<T> {
    const { child, output } = this.#start(job)
    if (niceness > 0) setPriority(child.pid ?? 0, niceness)
    child.stdin.end()
    return JSON.parse(await output) as T
  }

  #start(job: object): { readonly child: ChildProcessWithoutNullStreams; readonly output: Promise<string> } {
    const file = join(this.#folder, `job-${this.#jobs++}.json`)
    writeFileSync(file, JSON.stringify(job))
    const child = spawn(this.#program, [file])
    const output = new Promise<string>((resolve, reject) => {
      let text = ''
      let complaint = ''
      child.stdout.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      child.stderr.setEncoding('utf8').on('data', (part: string) => {
        complaint += part
      })
      child.once('error', reject)
      child.once('close', (code) => (code === 0 ? resolve(text) : reject(new Error(complaint.trim()))))
    })
    return { child, output }
  }
}
