import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/** What the load generator saw. Latencies in milliseconds. */
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
  /** When the first request was due, in milliseconds since 1970. */
  readonly startedAt: number
  /** Of every second, where they were asked for. */
  readonly timeline: readonly SecondStats[]
  /** Processor time of the generator in seconds. */
  readonly processorSeconds: number
}

/** What became of requests. */
export interface Outcomes {
  /** Given up because no connection was free; they never reached the node. */
  readonly dropped: number
  /** Answers with a result. */
  readonly results: number
  /** HTTP 429 that says when to come back, or JSON-RPC -32005 with another status. */
  readonly refused: number
  /** Any other error of JSON-RPC or HTTP, 429 without `Retry-After` among them. */
  readonly errors: number
  /** Connections that ended with a request under way. */
  readonly broken: number
  readonly unanswered: number
}

/** One second of a load; milliseconds, of answers with a result. */
export interface SecondStats {
  readonly outcomes: Outcomes
  readonly p50: number
  readonly p99: number
  readonly most: number
}

/** What became of WebSockets that said nothing until the end, and asked once then. */
export interface IdleStats {
  readonly opened: number
  /** That the node ended before. */
  readonly closed: number
  readonly answered: number
  /** Until all of them had their answer. */
  readonly milliseconds: number
}

/** WebSockets that are open. */
export interface IdleSockets {
  /** Has each ask once. */
  finish(): Promise<IdleStats>
}

export interface LoadOptions {
  readonly seconds: number
  readonly connections: number
  /** Requests per second of an open loop; latencies count from when a request was due. Absent for a closed loop. */
  readonly rate?: number
  /** Each request once, not in a circle. */
  readonly once?: boolean
  /** In an open loop: gives up a request that is due while no connection is free, instead of sending it late. */
  readonly drops?: boolean
  /** Figures of every second, too. */
  readonly timeline?: boolean
  /** Paths in place of that of the address, by turns over the requests. */
  readonly paths?: readonly string[]
  /** By how much the system puts the generator behind others that want to run, as with nice(1). */
  readonly niceness?: number
}

/** What subscribers saw. Milliseconds from the request that made the block to the notification. */
export interface SubscriberStats {
  readonly events: number
  readonly delivered: number
  readonly missing: number
  readonly p50: number
  readonly p99: number
  readonly most: number
  /** From the first subscriber that was told to the last, median over the events. */
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
  /** Bodies of requests each of which makes one block. */
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

  /** Keeps requests for loads to come: the file to name. */
  write(bodies: readonly string[]): string {
    const file = join(this.#folder, `requests-${this.#files++}`)
    writeFileSync(file, `${bodies.join('\n')}\n`)
    return file
  }

  /** Loads a node over HTTP or WebSocket, as the address says. */
  load(url: string, requests: string, { niceness = 0, ...options }: LoadOptions): Promise<LoadStats> {
    return this.#run<LoadStats>({ mode: 'load', url, requests, ...options }, niceness)
  }

  /** Opens so many WebSockets that say nothing. */
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

  /** Subscribes, makes blocks and measures how they are told. `onReady` runs when everyone has subscribed. */
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
