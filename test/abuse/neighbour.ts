import { connect, type Socket } from 'node:net'
import { call, post } from './attack.ts'
import { FrontTime } from './frontTime.ts'

/** How long an answer may take before it counts as missing, milliseconds. */
const PATIENCE = 10_000

/** What a client saw beside an attack: processor time of the front thread between a request and its answer. */
export interface NeighbourStats {
  readonly answers: number
  /** Requests without an answer; each counts as the longest. */
  readonly missing: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  readonly most: number
}

/**
 * Asks one request after the other at a rate, and reads the processor time of the server's front thread before it writes
 * each one and when it has read the answer: what the thread did before it answered.
 */
export class Neighbour {
  readonly #port: number
  readonly #localAddress: string
  readonly #bytes: Buffer
  readonly #time: FrontTime
  readonly #taken: number[] = []
  #missing = 0
  #isStopped = false
  #socket: Socket | null = null
  readonly #done: Promise<void>

  /**
   * @param path of the neighbour's key, or `/`
   * @param localAddress where it comes from
   * @param period milliseconds from one request to the next
   */
  constructor(pid: number, port: number, path: string, localAddress: string, period: number) {
    this.#port = port
    this.#localAddress = localAddress
    this.#bytes = Buffer.from(post(path, call('eth_blockNumber')))
    this.#time = new FrontTime(pid)
    this.#done = this.#ask(period)
  }

  /** Ends, and tells what was seen. */
  async stop(): Promise<NeighbourStats> {
    this.#isStopped = true
    await this.#done
    this.#socket?.destroy()
    this.#time.close()
    return statsOf(this.#taken, this.#missing)
  }

  async #ask(period: number): Promise<void> {
    let due = performance.now()
    while (!this.#isStopped) {
      const began = this.#time.read()
      if (await this.#exchange()) this.#taken.push(this.#time.read() - began)
      else this.#missing += 1
      due = Math.max(performance.now(), due + period)
      await new Promise((resolve) => setTimeout(resolve, due - performance.now()))
    }
  }

  /** Whether the request was answered with a result. */
  #exchange(): Promise<boolean> {
    const socket =
      this.#socket ?? connect({ port: this.#port, host: '127.0.0.1', localAddress: this.#localAddress })
    this.#socket = socket
    return new Promise((resolve) => {
      let received = ''
      const end = (isAnswered: boolean) => {
        clearTimeout(timer)
        socket.removeAllListeners()
        socket.on('error', () => undefined)
        if (!isAnswered) {
          socket.destroy()
          this.#socket = null
        }
        resolve(isAnswered)
      }
      const timer = setTimeout(() => end(false), PATIENCE)
      socket.on('error', () => end(false))
      socket.on('close', () => end(false))
      socket.on('data', (data: Buffer) => {
        received += data.toString('latin1')
        if (received.endsWith('}')) end(received.includes('"result"'))
      })
      socket.write(this.#bytes)
    })
  }
}

/** @param taken milliseconds of each answer */
export function statsOf(taken: readonly number[], missing: number): NeighbourStats {
  const longest = Math.max(0, ...taken)
  const sorted = [...taken, ...Array.from({ length: missing }, () => longest)].sort((a, b) => a - b)
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  return { answers: taken.length, missing, p50: at(0.5), p99: at(0.99), most: at(1) }
}
