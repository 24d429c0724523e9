import { writeSync } from 'node:fs'
import { Writable } from 'node:stream'
import { isatty } from 'node:tty'

const STDOUT = 1
/** Between two attempts at a pipe that is full, milliseconds. */
const PAUSE = 5

/**
 * The standard output of this process. A write that fails is in `errored`, the later ones are without effect, and the
 * process goes on: a node that prints where it listens needs nobody who reads that, and a command says so at its end.
 */
export class ResultOutput extends Writable {
  readonly isTTY = isatty(STDOUT)

  constructor() {
    super()
    this.on('error', () => undefined)
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    let written = 0
    while (written < chunk.length) {
      try {
        written += writeSync(STDOUT, chunk, written)
      } catch (error) {
        const isFull = (error as NodeJS.ErrnoException).code === 'EAGAIN'
        if (isFull) setTimeout(() => this._write(chunk.subarray(written), encoding, done), PAUSE)
        else done(error as Error)
        return
      }
    }
    done()
  }

  /** Resolves when everything is written, or nothing more can be. */
  settled(): Promise<void> {
    return new Promise((resolve) => {
      this.write('', () => resolve())
    })
  }
}
