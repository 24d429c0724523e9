import type { Database, RootDatabase } from 'lmdb'
import { makePrivateFolder } from './fileModes.ts'
import { openLmdb } from './openLmdb.ts'

type Table = Database<Buffer, Buffer>

const BINARY = { keyEncoding: 'binary', encoding: 'binary' } as const

/** Bytes of a position in the order in which answers came. */
const POSITION_BYTES = 6
/** Bytes counted for an answer beside its key and its own: two rows of tables. */
const ROW_BYTES = 64
const STATE_KEY = Buffer.from('state')
/** Address space beyond the limit: pages that a transaction has copied are free only after it. */
const HEADROOM_BYTES = 64 * 2 ** 20

/**
 * What networks that chains were forked from have answered, for later runs: a folder that several nodes may share. It is
 * bounded in bytes: what came first goes first. Nothing in it is needed: it can be deleted while nobody has it open.
 */
export class UpstreamAnswers {
  readonly #root: RootDatabase<Buffer, Buffer>
  readonly #answers: Table
  /** Keys of answers by their position. */
  readonly #order: Table
  readonly #state: Table
  readonly #maxBytes: number
  #waiting: [Buffer, Buffer][] = []

  /** Opens the folder, creating it if necessary. */
  constructor(folder: string, maxBytes: number) {
    makePrivateFolder(folder)
    this.#maxBytes = maxBytes
    this.#root = openLmdb<Buffer, Buffer>({
      path: folder,
      maxDbs: 8,
      mapSize: maxBytes * 2 + HEADROOM_BYTES,
      noSubdir: false,
      cache: false,
      eventTurnBatching: false,
      ...BINARY,
    })
    const table = (name: string): Table => this.#root.openDB<Buffer, Buffer>({ name, ...BINARY })
    this.#answers = table('answers')
    this.#order = table('order')
    this.#state = table('state')
  }

  /** The answer under a key. */
  get(key: Buffer): Buffer | undefined {
    return this.#answers.get(key)?.subarray(POSITION_BYTES)
  }

  /** Keeps an answer with the next {@link flush}. */
  put(key: Buffer, answer: Buffer): void {
    this.#waiting.push([key, answer])
  }

  /** Writes what was put, and lets go of the oldest answers above the bound. */
  flush(): void {
    const waiting = this.#waiting
    if (waiting.length === 0) return
    this.#waiting = []
    this.#root.transactionSync(() => {
      let { next, bytes } = this.#readState()
      for (const [key, answer] of waiting) {
        if (this.#answers.get(key) !== undefined) continue
        const position = positionOf(next)
        next += 1
        bytes += sizeOf(key, answer)
        this.#answers.putSync(key, Buffer.concat([position, answer]))
        this.#order.putSync(position, key)
      }
      bytes -= this.#evict(bytes)
      this.#state.putSync(STATE_KEY, Buffer.concat([positionOf(next), positionOf(bytes)]))
    })
  }

  /** Bytes of all answers, their keys and positions. */
  get bytes(): number {
    return this.#readState().bytes
  }

  /** Writes what was put and closes the folder. */
  async close(): Promise<void> {
    this.flush()
    await this.#root.close()
  }

  /** @returns bytes of what was removed */
  #evict(bytes: number): number {
    if (bytes <= this.#maxBytes) return 0
    let removed = 0
    const gone: [Buffer, Buffer][] = []
    for (const { key: position, value: key } of this.#order.getRange()) {
      if (bytes - removed <= this.#maxBytes) break
      const stored = this.#answers.get(key)
      removed += stored === undefined ? 0 : sizeOf(key, stored.subarray(POSITION_BYTES))
      gone.push([Buffer.from(position), Buffer.from(key)])
    }
    for (const [position, key] of gone) {
      this.#order.removeSync(position)
      this.#answers.removeSync(key)
    }
    return removed
  }

  #readState(): { next: number; bytes: number } {
    const state = this.#state.get(STATE_KEY)
    if (state === undefined) return { next: 0, bytes: 0 }
    return {
      next: state.readUIntBE(0, POSITION_BYTES),
      bytes: state.readUIntBE(POSITION_BYTES, POSITION_BYTES),
    }
  }
}

function positionOf(value: number): Buffer {
  const bytes = Buffer.alloc(POSITION_BYTES)
  bytes.writeUIntBE(value, 0, POSITION_BYTES)
  return bytes
}

function sizeOf(key: Buffer, answer: Buffer): number {
  return 2 * key.length + answer.length + ROW_BYTES
}
