import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What the load generator saw. Latencies in milliseconds. */
export interface LoadFigures {
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
  /** Processor time of the generator in seconds. */
  readonly processorSeconds: number
}

export interface LoadOptions {
  readonly seconds: number
  readonly connections: number
  /** Requests per second of an open loop; latencies count from when a request was due. Absent for a closed loop. */
  readonly rate?: number
  /** Each request once, not in a circle. */
  readonly once?: boolean
}

/** What subscribers saw. Milliseconds from the request that made the block to the notification. */
export interface SubscriberFigures {
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
  load(url: string, requests: string, options: LoadOptions): Promise<LoadFigures> {
    return this.#run<LoadFigures>({ mode: 'load', url, requests, ...options })
  }

  /** Subscribes, makes blocks and measures how they are told. `onReady` runs when everyone has subscribed. */
  async subscribe(options: SubscriberOptions, onReady: () => void): Promise<SubscriberFigures> {
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
      return await this.#run<SubscriberFigures>(job)
    } finally {
      clearInterval(watch)
    }
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async #run<T>(job: object): Promise<T> {
    const file = join(this.#folder, 'job.json')
    writeFileSync(file, JSON.stringify(job))
    const output = await new Promise<string>((resolve, reject) => {
      const child = spawn(this.#program, [file], { stdio: ['ignore', 'pipe', 'pipe'] })
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
    return JSON.parse(output) as T
  }
}
