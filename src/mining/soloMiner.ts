import { setTimeout as sleep } from 'node:timers/promises'
import { NonceSearch } from '../native/nonceSearch.ts'
import { fromHex, toHex } from '../util/bytes.ts'
import { timeOfSeedHash } from './seedHash.ts'

/** Sends a JSON-RPC request; rejects with the message of an error. */
export type AskNode = (method: string, params: readonly unknown[]) => Promise<unknown>

/** Parts of a solo miner. */
export interface SoloMinerParams {
  readonly ask: AskNode
  readonly threads: number
  /** Interval of polls for newer work, milliseconds. */
  readonly pollTime: number
  /** Pause after a block, milliseconds. */
  readonly pause: number
  /** Id of the miner, 32 bytes. */
  readonly id: Buffer
  /** Called for every solution with whether the node accepted it. */
  readonly onSolution: (accepted: boolean, work: string) => void
  /** Called for every failure to reach the node. */
  readonly onFailure: (error: Error) => void
}

/** Work of eth_getWork, `0x` hex. */
interface Work {
  readonly hash: string
  readonly seed: string
  readonly target: string
}

/** Pause after the node could not be reached, milliseconds. */
const RETRY_TIME = 1000
/** Interval of hash rate reports, milliseconds; the node counts a report for a minute. */
const REPORT_PERIOD = 5000

/**
 * Mines through eth_getWork and eth_submitWork (`README.md` of this folder) on the given number of threads.
 */
export class SoloMiner {
  readonly #params: SoloMinerParams
  /** Hashes of the finished searches. */
  #hashes = 0n
  #running: NonceSearch | null = null

  constructor(params: SoloMinerParams) {
    this.#params = params
  }

  /** Block hashes tried so far. */
  get hashes(): bigint {
    return this.#hashes + (this.#running?.hashes ?? 0n)
  }

  /** Mines until it is stopped. */
  async run(stop: AbortSignal): Promise<void> {
    const reports = this.#report(stop)
    while (!stop.aborted) {
      try {
        await this.#mineOne(stop)
      } catch (error) {
        if (stop.aborted) break
        this.#params.onFailure(error instanceof Error ? error : new Error(String(error)))
        await rest(RETRY_TIME, stop)
      }
    }
    await reports
  }

  /** Searches one block until it is found or there is newer work. */
  async #mineOne(stop: AbortSignal): Promise<void> {
    const { ask, threads, pause, onSolution } = this.#params
    const work = await this.#getWork()
    const search = new NonceSearch(
      fromHex(work.hash),
      fromHex(work.target),
      timeOfSeedHash(fromHex(work.seed)),
    )
    const ended = new AbortController()
    const watch = this.#watch(work, search, AbortSignal.any([stop, ended.signal]))
    this.#running = search
    const nonce = await search.run(threads)
    this.#running = null
    this.#hashes += search.hashes
    ended.abort()
    await watch
    if (nonce === null) return
    const accepted = await ask('eth_submitWork', [toHex(nonce), work.hash, work.seed])
    onSolution(accepted === true, work.hash)
    await rest(pause, stop)
  }

  /** Ends the search when the node has newer work, cannot be reached, or the miner is to stop. */
  async #watch(work: Work, search: NonceSearch, stop: AbortSignal): Promise<void> {
    for (;;) {
      await rest(this.#params.pollTime, stop)
      if (stop.aborted) break
      const newest = await this.#getWork().catch(() => null)
      if (newest?.hash !== work.hash) break
    }
    search.stop()
  }

  async #getWork(): Promise<Work> {
    const work = await this.#params.ask('eth_getWork', [])
    const [hash, seed, target] = Array.isArray(work) ? (work as unknown[]) : []
    if (typeof hash === 'string' && typeof seed === 'string' && typeof target === 'string') {
      return { hash, seed, target }
    }
    throw new Error(`eth_getWork answered ${JSON.stringify(work)} instead of work`)
  }

  /** A lost report is made up for by the next one. */
  async #report(stop: AbortSignal): Promise<void> {
    const { ask, id } = this.#params
    let before = this.hashes
    while (!stop.aborted) {
      await rest(REPORT_PERIOD, stop)
      const now = this.hashes
      const rate = ((now - before) * 1000n) / BigInt(REPORT_PERIOD)
      before = now
      const word = toHex(Buffer.from(rate.toString(16).padStart(64, '0'), 'hex'))
      if (!stop.aborted) await ask('eth_submitHashrate', [word, toHex(id)]).catch(() => undefined)
    }
  }
}

/** Waits until the time has passed or the signal is aborted. */
async function rest(milliseconds: number, stop: AbortSignal): Promise<void> {
  if (milliseconds > 0) await sleep(milliseconds, undefined, { signal: stop }).catch(() => undefined)
}
