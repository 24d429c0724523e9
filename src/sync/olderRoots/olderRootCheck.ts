import {
  compareOlderRoot,
  isOlderRootBinding,
  nextOlderRoot,
  type OlderRootDifference,
  type OlderRootStates,
} from '../../chain/olderRoots.ts'
import type { StoredHistory } from '../../chain/tables/metadata.ts'
import type { NetworkSpec } from '../../config/networkSpec.ts'
import type { Logger } from '../../observe/logger.ts'
import type { StateReference } from '../../state/stateRoot.ts'
import type { TipChange } from '../syncChain.ts'

/** Reads of the latest committed blocks. */
export interface OlderRootReader {
  head(): { readonly number: number }
  history(): StoredHistory
  headerByNumber(number: number): StateReference | null
  hashByNumber(number: number): Buffer | null
}

export interface OlderRootCheckOptions {
  readonly spec: NetworkSpec
  readonly reader: OlderRootReader
  readonly stateStore: OlderRootStates
  /** Called once: no more is compared after a difference of a consensus root. */
  onDifference(difference: OlderRootDifference): void
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>
  /** Blocks from one comparison to the next. */
  readonly interval?: number
}

/** A running check. */
export interface OlderRootCheck {
  /** Call it after every change of the head, once the reader sees it. Returns immediately. */
  onTip(change: TipChange): void
  /** Stops; nothing reads the store once this resolves. */
  close(): Promise<void>
}

/**
 * Compares state roots before RSKIP126 in the background, one at a time on one thread of libuv: otherwise an
 * error of execution would show only at RSKIP126, which on main is 1,591,000 blocks late. Blocks do not wait
 * for it: all states are stored, so that it may lag. It begins with the latest due height at the head; an
 * error at skipped heights persists in the states of later blocks.
 */
export function createOlderRootCheck(options: OlderRootCheckOptions): OlderRootCheck {
  const check = new RunningCheck(options)
  check.wake()
  return check
}

class RunningCheck implements OlderRootCheck {
  readonly #options: OlderRootCheckOptions
  readonly #end = new AbortController()
  /** Blocks up to this height are not compared any more. */
  #done: number
  #tip: number
  #running: Promise<void> | null = null

  constructor(options: OlderRootCheckOptions) {
    this.#options = options
    const { reader } = options
    this.#tip = reader.head().number
    this.#done = this.#newestDue(reader.history().firstState - 1)
  }

  onTip({ tip, enacted }: TipChange): void {
    this.#tip = tip.number
    const [lowest] = enacted
    // Blocks that another branch replaces are compared again.
    if (lowest !== undefined && lowest.number <= this.#done) this.#done = lowest.number - 1
    this.wake()
  }

  /** Continues when a height is due and no comparison runs. */
  wake(): void {
    if (this.#running !== null || this.#next() === null) return
    this.#running = this.#run().finally(() => {
      this.#running = null
      this.wake()
    })
  }

  async close(): Promise<void> {
    this.#end.abort()
    await this.#running
  }

  /** The block before the latest due height above another. */
  #newestDue(above: number): number {
    let done = above
    for (let due = this.#due(done); due !== null; due = this.#due(due)) done = due - 1
    return done
  }

  #due(after: number): number | null {
    const next = nextOlderRoot(this.#options.spec, after, this.#options.interval)
    return next !== null && next <= this.#tip ? next : null
  }

  #next(): number | null {
    return this.#end.signal.aborted ? null : this.#due(this.#done)
  }

  async #run(): Promise<void> {
    for (let number = this.#next(); number !== null; number = this.#next()) await this.#compare(number)
  }

  /** Records the height as done if its block is the same before and after. */
  async #compare(number: number): Promise<void> {
    const { spec, reader, stateStore, log } = this.#options
    try {
      const header = reader.headerByNumber(number)
      if (header === null) throw new Error('its header is missing')
      const outcome = await compareOlderRoot(spec, stateStore, header, this.#end.signal)
      if (outcome === null || reader.hashByNumber(number)?.equals(header.hash) !== true) return
      this.#done = number
      if (outcome === 'equal') log.info({ number }, 'the state is the one that the header names')
      else this.#differs(outcome)
    } catch (error) {
      this.#done = number
      log.error(
        { number, reason: (error as Error).message },
        'a state root before RSKIP126 cannot be compared',
      )
    }
  }

  #differs(difference: OlderRootDifference): void {
    const { spec, log, onDifference } = this.#options
    const { number } = difference
    const [hash, expected, found] = [difference.hash, difference.expected, difference.found].map((bytes) =>
      bytes.toString('hex'),
    )
    if (!isOlderRootBinding(spec, number)) {
      log.warn({ number, hash, expected, found }, 'the header names another state; nothing checks it there')
      return
    }
    this.#end.abort()
    log.error({ number, hash, expected, found }, 'the header names another state than its execution came to')
    onDifference(difference)
  }
}
