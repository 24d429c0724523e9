import { closeSync, openSync, readSync } from 'node:fs'

/** Digits and spaces of three numbers of 64 bits. */
const MAX_BYTES = 80

/**
 * Processor time of the thread that has a process's sockets, its first one. Unlike a wall clock it stands still while
 * other programs have the processor.
 */
export class FrontTime {
  readonly #file: number
  readonly #bytes = Buffer.alloc(MAX_BYTES)

  constructor(pid: number) {
    this.#file = openSync(`/proc/${pid}/task/${pid}/schedstat`, 'r')
  }

  /** Milliseconds since the thread began. */
  read(): number {
    const length = readSync(this.#file, this.#bytes, 0, MAX_BYTES, 0)
    return Number.parseInt(this.#bytes.toString('latin1', 0, length), 10) / 1e6
  }

  close(): void {
    closeSync(this.#file)
  }
}
