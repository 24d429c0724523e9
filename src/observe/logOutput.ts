import { closeSync, constants, fstatSync, openSync, writeSync } from 'node:fs'
import { isatty } from 'node:tty'

/** Takes lines of text. */
export interface TextOutput {
  /** A terminal shows it. */
  readonly isTTY?: boolean
  write(text: string): unknown
}

/** Standard error output. */
export const STDERR = 2

/**
 * How long a line waits for a reader that is behind, milliseconds. A terminal or a program that reads needs a fraction
 * of that even on a busy machine; requests wait meanwhile. The next lines wait again only once a line was taken.
 */
const PATIENCE_MILLISECONDS = 200
const PAUSE_MILLISECONDS = 5

/** Reason why a full pipe or terminal takes nothing now. */
const FULL: ReadonlySet<string | undefined> = new Set(['EAGAIN', 'EWOULDBLOCK'])

/**
 * Writes lines to a descriptor of this process, from whichever thread. It never throws and never waits for long: what
 * cannot be written, because the reader or the terminal is gone, the disk is full or the reader stands still, is lost and
 * counted.
 *
 * The streams of `process` do neither: an error of theirs ends the process, and those of worker threads collect without
 * a bound what the main thread cannot write.
 */
export class LogOutput implements TextOutput {
  readonly isTTY: boolean
  readonly #given: number
  #descriptor: number
  /** The rest of a line of which a part was written. */
  #rest: Buffer | null = null
  #isStuck = false
  #lost = 0
  #lostSinceWritten = 0

  constructor(descriptor: number) {
    this.isTTY = isatty(descriptor)
    this.#given = descriptor
    this.#descriptor = withoutWaiting(descriptor, this.isTTY)
  }

  /** Lines that were lost. */
  get lost(): number {
    return this.#lost
  }

  write(text: string): void {
    if (this.#put(Buffer.from(text))) return
    this.#lost += 1
    this.#lostSinceWritten += 1
  }

  /** Lines that were lost before the last one that was written; they are reported once. */
  takeLosses(): number {
    if (this.#isStuck) return 0
    const lost = this.#lostSinceWritten
    this.#lostSinceWritten = 0
    return lost
  }

  /** Gives back what it holds; lines are still written. */
  close(): void {
    if (this.#descriptor !== this.#given) closeSync(this.#descriptor)
    this.#descriptor = this.#given
  }

  #put(bytes: Buffer): boolean {
    const earlier = this.#rest
    if (earlier !== null && !this.#putAll(earlier)) return false
    if (this.#putAll(bytes)) return true
    // A line that was begun is completed later, or the next one would stand in the middle of it.
    return this.#rest !== null
  }

  #putAll(bytes: Buffer): boolean {
    let written = 0
    let waited = this.#isStuck ? PATIENCE_MILLISECONDS : 0
    while (written < bytes.length) {
      try {
        written += writeSync(this.#descriptor, bytes, written)
      } catch (error) {
        const isFull = FULL.has((error as NodeJS.ErrnoException).code)
        if (isFull && waited < PATIENCE_MILLISECONDS) {
          waited += PAUSE_MILLISECONDS
          pause()
          continue
        }
        this.#isStuck = true
        this.#rest = written > 0 || this.#rest !== null ? bytes.subarray(written) : null
        return false
      }
    }
    this.#isStuck = false
    this.#rest = null
    return true
  }
}

/**
 * A second descriptor of the same pipe or terminal, whose writes do not wait. The flag O_NONBLOCK of the first one would
 * count for every program that shares it. Files take everything at once. A socket, as systemd gives one, cannot be opened
 * a second time: there a reader that stands still holds up the writer.
 */
function withoutWaiting(descriptor: number, isTerminal: boolean): number {
  try {
    if (!isTerminal && !fstatSync(descriptor).isFIFO()) return descriptor
    const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants
    return openSync(`/proc/self/fd/${descriptor}`, O_WRONLY | O_NONBLOCK | O_NOCTTY)
  } catch {
    // It is gone, or belongs to another user.
    return descriptor
  }
}

const NEVER = new Int32Array(new SharedArrayBuffer(4))

function pause(): void {
  Atomics.wait(NEVER, 0, 0, PAUSE_MILLISECONDS)
}
