import { setTimeout as sleep } from 'node:timers/promises'
import type { BitcoinPool } from '../../support/bitcoinPool.ts'
import { asciiHex, bytesOf, type PoolWork, type SubmitResult, submission } from '../../support/poolNode.ts'
import type { AskedMember, Asking, RecordingClient } from './recordingClient.ts'

export interface CheckedMinerOptions {
  readonly pool: BitcoinPool
  /** Takes hashes of blocks that were acknowledged. */
  readonly blocks: Set<string>
  readonly anyMember: () => AskedMember
  readonly charged: (units: number) => Pick<Asking, 'key' | 'units'>
  readonly isStopped: () => boolean
}

const IMPORTED = ['IMPORTED_BEST', 'IMPORTED_NOT_BEST', 'EXIST'].map(asciiHex)
/** Costs of methods in units (src/gateway/access/README.md). */
const UNITS = { work: 2, solution: 20 }
/** Milliseconds between two looks for other work, and looks: members refresh work every second. */
const LOOK_MS = 150
const LOOKS = 30

/** A pool that takes work and gives solutions at members at random. */
export class CheckedMiner {
  readonly #options: CheckedMinerOptions

  constructor(options: CheckedMinerOptions) {
    this.#options = options
  }

  /** Solves the work that it is handed out. */
  async solve(client: RecordingClient): Promise<void> {
    const work = await this.#work(client)
    if (work !== null) await this.#submit(client, work)
  }

  /**
   * Has the chain leave a block: of two blocks on one parent the second has an uncle, which makes it the heavier one
   * (consensus.md §7). Does as much of it as members let it.
   */
  async reorganise(client: RecordingClient): Promise<void> {
    const first = await this.#work(client)
    const sibling = first === null ? null : await this.#otherWork(client, first)
    if (first === null || sibling === null) return
    await this.#submit(client, first)
    const light = await this.#workAfter(client, first)
    await this.#submit(client, sibling)
    if (light === null) return
    const heavy = await this.#otherWork(client, light)
    await this.#submit(client, light)
    if (heavy !== null) await this.#submit(client, heavy)
  }

  async #work(client: RecordingClient): Promise<PoolWork | null> {
    const { anyMember, charged } = this.#options
    const { result } = await client.ask(anyMember(), {
      ...charged(UNITS.work),
      operation: { kind: 'other', method: 'mnr_getWork' },
      method: 'mnr_getWork',
    })
    return (result as PoolWork | undefined) ?? null
  }

  /** Other work on the same parent; null when there is none in time. */
  #otherWork(client: RecordingClient, { parentBlockHash, blockHashForMergedMining }: PoolWork) {
    return this.#lookFor(
      client,
      (work) =>
        work.parentBlockHash === parentBlockHash &&
        work.blockHashForMergedMining !== blockHashForMergedMining,
    )
  }

  /** Work on another parent. */
  #workAfter(client: RecordingClient, { parentBlockHash }: PoolWork) {
    return this.#lookFor(client, (work) => work.parentBlockHash !== parentBlockHash)
  }

  async #lookFor(client: RecordingClient, isWanted: (work: PoolWork) => boolean): Promise<PoolWork | null> {
    for (let look = 0; look < LOOKS && !this.#options.isStopped(); look += 1) {
      const work = await this.#work(client)
      if (work !== null && isWanted(work)) return work
      await sleep(LOOK_MS)
    }
    return null
  }

  async #submit(client: RecordingClient, work: PoolWork): Promise<void> {
    const { pool, anyMember, charged, blocks } = this.#options
    const solved = pool.mine(bytesOf(work.blockHashForMergedMining), BigInt(work.target), 1)
    const [method, params] = submission('block', solved)
    const { result } = await client.ask(anyMember(), {
      ...charged(UNITS.solution),
      operation: { kind: 'solution' },
      method,
      params,
      value: (answer) => {
        const { blockImportedResult, blockHash } = answer as SubmitResult
        return IMPORTED.includes(blockImportedResult) ? blockHash : null
      },
    })
    const answer = result as SubmitResult | undefined
    if (answer !== undefined && IMPORTED.includes(answer.blockImportedResult)) blocks.add(answer.blockHash)
  }
}
