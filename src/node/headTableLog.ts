import type { HeadProgress, OlderProgress } from '../native/types.ts'
import type { Logger } from '../observe/logger.ts'

/** Time between two lines about a table that is being made, milliseconds. */
const INTERVAL = 10_000

const MEBIBYTE = 1024 * 1024

const DOES: Readonly<Record<'moving' | 'sorting' | 'merging', string>> = {
  moving: 'the table of the newest state is brought to the head; until then the trie is read',
  sorting: 'the table of the newest state is being made: rows are sorted; until it is done the trie is read',
  merging: 'the table of the newest state is being made: rows are written',
}

/** State store of which there is something to say. */
export interface HeadTableSource {
  headProgress(): HeadProgress
  olderProgress(): OlderProgress | null
}

/**
 * Says in the log how far the table of the newest state is, while it is made or moved, and where it cannot be made; and
 * how far states from before it are converted.
 */
export class HeadTableLog {
  readonly #source: HeadTableSource
  readonly #log: Logger
  #last: HeadProgress['phase'] = 'ready'
  #wasConverting = false

  constructor(source: HeadTableSource, log: Logger) {
    this.#source = source
    this.#log = log
  }

  /** Writes what there is to say now. A table that waits for space is said once. */
  look(): void {
    this.#lookAtTable()
    this.#lookAtOlder()
  }

  #lookAtOlder(): void {
    const progress = this.#source.olderProgress()
    const wasConverting = this.#wasConverting
    this.#wasConverting = progress?.isUnderWay === true
    if (progress === null) return
    const { top, low } = progress
    if (this.#wasConverting) {
      this.#log.info({ fromBlock: top, block: low }, 'states of older blocks are being converted')
    } else if (wasConverting) {
      this.#log.info({ fromBlock: top, block: low }, 'states of older blocks are converted down to this one')
    }
  }

  #lookAtTable(): void {
    const { phase, part, needed, available } = this.#source.headProgress()
    const last = this.#last
    this.#last = phase
    if (phase === 'ready') {
      if (last !== 'ready') this.#log.info('the table of the newest state is at the head')
      return
    }
    if (phase === 'noSpace') {
      if (last === phase) return
      this.#log.warn(
        { neededMiB: Math.ceil(needed / MEBIBYTE), availableMiB: Math.floor(available / MEBIBYTE) },
        'there is no space to make the table of the newest state: the trie is read. It begins when the disk and --store-limit have it',
      )
      return
    }
    this.#log.info({ percent: Math.floor(part * 100) }, DOES[phase])
  }

  /** Looks every ten seconds. Returns a function that ends it. */
  watch(): () => void {
    const timer = setInterval(() => this.look(), INTERVAL)
    timer.unref()
    return () => clearInterval(timer)
  }
}
