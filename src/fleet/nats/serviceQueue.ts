import { CallRefusal } from '../errors.ts'
import type { MemberId } from '../interface.ts'
import type { CallHandler, CallServiceOptions } from './callTypes.ts'

const DEFAULT_QUEUE_BYTES = 1_048_576
/** What a call that waits takes beside its payload, bytes. */
const WAITING_OVERHEAD = 512

interface WaitingCall {
  readonly bytes: number
  readonly begin: () => void
}

/** Calls of one service: so many run, others wait while there is memory for them. */
export class ServiceQueue {
  readonly #handler: CallHandler
  readonly #concurrency: number
  readonly #queueBytes: number
  readonly #waiting = new Set<WaitingCall>()
  #waitingBytes = 0
  #running = 0

  constructor(handler: CallHandler, { concurrency, queueBytes = DEFAULT_QUEUE_BYTES }: CallServiceOptions) {
    this.#handler = handler
    this.#concurrency = concurrency
    this.#queueBytes = queueBytes
  }

  /**
   * Runs a call when it is its turn.
   * @param milliseconds until the caller gives up
   * @throws CallRefusal `busy` when there is no room to wait, or the turn does not come in time
   */
  async run(payload: Buffer, from: MemberId, milliseconds: number): Promise<Uint8Array> {
    const deadline = new AbortController()
    const timer = setTimeout(() => deadline.abort(), milliseconds)
    try {
      await this.#turn(payload.length + WAITING_OVERHEAD, deadline.signal)
      try {
        return await this.#handler(payload, { from, signal: deadline.signal })
      } finally {
        this.#running -= 1
        this.#next()
      }
    } finally {
      clearTimeout(timer)
    }
  }

  async #turn(bytes: number, signal: AbortSignal): Promise<void> {
    if (this.#running < this.#concurrency) {
      this.#running += 1
      return
    }
    if (this.#waitingBytes + bytes > this.#queueBytes) throw busy()
    await new Promise<void>((resolve, reject) => {
      const late = () => {
        this.#leave(call)
        reject(busy())
      }
      const call: WaitingCall = {
        bytes,
        begin: () => {
          signal.removeEventListener('abort', late)
          this.#leave(call)
          this.#running += 1
          resolve()
        },
      }
      signal.addEventListener('abort', late, { once: true })
      this.#waiting.add(call)
      this.#waitingBytes += bytes
    })
  }

  #leave(call: WaitingCall): void {
    if (this.#waiting.delete(call)) this.#waitingBytes -= call.bytes
  }

  #next(): void {
    const [first] = this.#waiting
    if (first !== undefined && this.#running < this.#concurrency) first.begin()
  }
}

function busy(): CallRefusal {
  return new CallRefusal('busy', 'this member has too many calls of this kind: try another one')
}
