import { writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, type NodeProcess, startNode } from '../../support/nodeProcess.ts'

export interface MemberProcessOptions {
  /** Place among the members of the run, from 0. */
  readonly member: number
  readonly dataDir: string
  readonly args: readonly string[]
  /** Compiled command line. */
  readonly program: string
  /** That of a neighbouring version. */
  readonly otherProgram?: string
  /** What it runs under: a namespace, another clock. */
  readonly under?: readonly string[]
  /** Address that it takes requests at. */
  readonly host?: string
  /** Path with a key, once there are keys; empty for none. */
  readonly path: () => string
  /** File by which its clock is moved, seconds; null where it is that of the machine. */
  readonly clock: string | null
}

const LOOK_MS = 50

/** A node of a fleet, which is ended and started again on the same port and data. */
export class MemberProcess {
  readonly member: number
  readonly dataDir: string
  readonly #options: MemberProcessOptions
  readonly #port: number
  #program: string
  #node: NodeProcess | null = null
  /** Of processes that have ended. */
  #output = ''

  private constructor(options: MemberProcessOptions, port: number) {
    this.member = options.member
    this.dataDir = options.dataDir
    this.#options = options
    this.#program = options.program
    this.#port = port
  }

  static async create(options: MemberProcessOptions): Promise<MemberProcess> {
    return new MemberProcess(options, await freePort())
  }

  get origin(): string {
    return `http://${this.#options.host ?? '127.0.0.1'}:${this.#port}`
  }

  /** Where it is asked with the key of the run. */
  get url(): string {
    return `${this.origin}${this.#options.path()}`
  }

  /** Whether its clock can be moved. */
  get hasClock(): boolean {
    return this.#options.clock !== null
  }

  /** Whether there is a neighbouring version that it can go over to. */
  get hasOtherProgram(): boolean {
    return this.#options.otherProgram !== undefined
  }

  /** It is started as the other version from now on, or as the first one again. */
  changeProgram(): void {
    const { program, otherProgram } = this.#options
    this.#program = this.#program === program ? (otherProgram ?? program) : program
  }

  get isRunning(): boolean {
    return this.#node !== null
  }

  /** @throws Error while it does not run */
  get pid(): number {
    if (this.#node === null) throw new Error(`member ${this.member} does not run`)
    return this.#node.pid
  }

  /** Starts it and waits until it answers anything. @throws Error with its output when it ends before */
  async start(): Promise<void> {
    const { dataDir, args, under, host, path } = this.#options
    this.#node = await startNode({
      ...{ dataDir, args, program: this.#program, path: path(), port: this.#port },
      ...(under === undefined ? {} : { under }),
      ...(host === undefined ? {} : { host }),
    })
  }

  /** Sends a signal that ends it, and waits for the end. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const node = this.#node
    if (node === null) return
    // A process that stands still takes no other signal than SIGKILL.
    if (signal === 'SIGTERM') this.signal('SIGCONT')
    this.#node = null
    await node.stop(signal)
    this.#output = `${this.#output}${node.output()}`.slice(-MAX_OUTPUT)
  }

  /** Ends it without waiting for the end, if it runs. */
  kill(): void {
    try {
      if (this.#node !== null) process.kill(this.#node.pid, 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
  }

  /** Has it stand still, or go on. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    const node = this.#node
    if (node === null) return
    try {
      process.kill(node.pid, signal)
    } catch (cause) {
      throw new Error(`member ${this.member} has ended by itself:\n${node.output().slice(-SHOWN_OUTPUT)}`, {
        cause,
      })
    }
  }

  /** Moves its clock. @param seconds beside that of the machine */
  setClock(seconds: number): void {
    const { clock } = this.#options
    if (clock !== null) writeFileSync(clock, seconds < 0 ? `${seconds}` : `+${seconds}`)
  }

  /** Whether it says that it may be asked; false where it does not answer within a second. */
  async isReady(): Promise<boolean> {
    try {
      const response = await fetch(new URL('/ready', this.origin), { signal: AbortSignal.timeout(1000) })
      await response.arrayBuffer()
      return response.status === 200
    } catch {
      return false
    }
  }

  /** @throws Error with its output when that takes longer */
  async untilReady(milliseconds: number): Promise<void> {
    const until = performance.now() + milliseconds
    while (!(await this.isReady())) {
      if (performance.now() > until) {
        const reasons = await fetch(new URL('/ready', this.origin)).then(
          (response) => response.text(),
          (error: unknown) => String(error),
        )
        throw new Error(`member ${this.member} is not ready: ${reasons}\n${this.output.slice(-SHOWN_OUTPUT)}`)
      }
      await sleep(LOOK_MS)
    }
  }

  /** What it and those before it printed last. */
  get output(): string {
    return `${this.#output}${this.#node?.output() ?? ''}`
  }
}

const MAX_OUTPUT = 1_000_000
const SHOWN_OUTPUT = 4000
