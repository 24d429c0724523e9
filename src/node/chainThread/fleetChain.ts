import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Blockchain, ConnectResult } from '../../chain/blockchain.ts'
import type { Block } from '../../chain/codec/block.ts'
import type {
  AdmissionState,
  FleetChainEvent,
  FleetPublisher,
  LoggedTransaction,
  PoolEntry,
} from '../../fleet/interface.ts'
import { MiningError } from '../../mining/errors.ts'
import type { WorkSharing } from '../../mining/interface.ts'
import { RpcError } from '../../rpc/errors.ts'
import type { SendOutcome } from '../../txpool/interface.ts'
import { FleetPool, type FleetPoolParams } from './fleetPool.ts'
import { FleetSends, unknownOutcome } from './fleetSends.ts'
import { headSteps } from './headSteps.ts'
import { decodeTransaction, type RecoveredTransaction, recoverTransactions } from './sendQueue.ts'
import { StableLog } from './stableLog.ts'

/** Milliseconds for which a made block may take to become the head: some rounds, each a lease late at worst. */
const LONGEST_ROUND_WAIT = 30_000

export interface FleetChainParams extends Omit<FleetPoolParams, 'isMined'> {
  readonly chain: Blockchain
  /** @throws StorageError `STORAGE_UNWRITABLE` while the stores take no writes */
  assertWritable(): void
  /** Makes durable what happened so far. @throws StorageError `STORAGE_UNWRITABLE` */
  commit(): Promise<void>
  /** Resolves when the chain store is on disk. */
  flushed(): Promise<void>
  /** Told what fails while nobody waits for it. */
  onFailure(error: unknown): void
}

/** Bytes of blocks that the fleet thread may not have heard of yet; beyond them it is not told. */
const MOST_UNHEARD = 32 * 1024 * 1024

/**
 * What a member of a fleet does in the chain thread beside the chain (fleet.md §3 to §5): it reads entries of the log
 * into the pool, moves the head, and tells which blocks came from elsewhere.
 */
export class FleetChain {
  readonly pool: FleetPool
  readonly sends: FleetSends
  readonly stable: StableLog = new StableLog()
  readonly #params: FleetChainParams
  #tell: ((event: FleetChainEvent) => void) | null = null
  #lastSequence = 0
  #publisher: FleetPublisher | null = null
  /** Everything that changes the pool by the log, in its order. */
  #last: Promise<unknown> = Promise.resolve()
  #told: Promise<void> = Promise.resolve()
  #unheard = 0
  /** Each ends a wait for a head, with the reason. */
  readonly #ends = new Set<(reason: string) => void>()
  /** Hashes of the blocks that the fleet gives now. */
  readonly #given = new Set<string>()

  constructor(params: FleetChainParams) {
    const { chain, chainId } = params
    this.#params = params
    this.pool = new FleetPool({ ...params, isMined: (hash) => chain.reader.locateTransaction(hash) !== null })
    this.sends = new FleetSends({
      chainId,
      pool: this.pool,
      lastSequence: () => this.#lastSequence,
      settled: () => this.#settled(),
    })
    chain.onAccepted((blocks) => this.#accepted(blocks))
  }

  /** Sequence of the last transaction of the log that was admitted or refused. */
  get lastSequence(): number {
    return this.#lastSequence
  }

  /** Connects it to the fleet thread. @returns disconnects it, unless another took its place */
  attach(publisher: FleetPublisher, tell: (event: FleetChainEvent) => void): () => void {
    this.#tell = tell
    this.sends.publishWith(publisher)
    this.stable.askOf(publisher)
    this.#publisher = publisher
    return () => {
      if (this.#tell !== tell) return
      this.#tell = null
      this.sends.publishWith(null)
      this.stable.askOf(null)
      this.#publisher = null
    }
  }

  /** How work for pools is shared with the other members (fleet.md §8). */
  get workSharing(): WorkSharing {
    return {
      publish: async (template) => {
        const published = this.#publisher?.publishWork?.(template)
        if (published === undefined) throw new RpcError('fleetAway')
        await published
      },
      ask: () => {
        this.#publisher?.askForWork?.().catch(() => undefined)
      },
    }
  }

  /** Answers whoever waits for the fleet. */
  async close(): Promise<void> {
    for (const end of [...this.#ends]) end('the node stops')
    await this.sends.close()
    await this.#last
    await this.#told
  }

  /** The fleet thread has heard what it was told. */
  heard(): void {
    this.#unheard = 0
  }

  /**
   * Connects blocks of the fleet, in one commit; the fleet is not told of them, and the head stays.
   * @throws StorageError `STORAGE_UNWRITABLE`
   */
  connectAll(blocks: Iterable<Block>): ConnectResult[] {
    const { chain, assertWritable } = this.#params
    assertWritable()
    const given = this.#given
    const noted = function* () {
      for (const block of blocks) {
        given.add(block.hashHex)
        yield block
      }
    }
    try {
      return chain.connectAll(noted())
    } finally {
      given.clear()
    }
  }

  /** As `FleetChainService.moveHead`. */
  async moveHead(hash: Buffer, time: number | null): Promise<void> {
    const { chain, assertWritable, commit } = this.#params
    await this.#inOrder(async () => {
      // Whoever hears of the head has heard of the entries before it.
      this.stable.release()
      for (const step of await headSteps(chain.reader, chain.head, hash)) {
        assertWritable()
        if (step.equals(hash) && time !== null) this.pool.advance(time)
        chain.moveHead(step)
        if (!step.equals(hash)) await nextTurn()
      }
    })
    await commit()
  }

  /** As `FleetChainService.admit`. */
  async admit(entries: readonly LoggedTransaction[]): Promise<readonly SendOutcome[]> {
    const { assertWritable, commit } = this.#params
    const recovering = this.#recover(entries.map(({ encoded }) => encoded))
    recovering.catch(() => undefined)
    const admitted = await this.#inOrder(async () => {
      const recovered = await recovering
      assertWritable()
      return entries.map(({ time, sequence }, index) => {
        const item = recovered[index] ?? new Error('no transaction')
        this.#lastSequence = Math.max(this.#lastSequence, sequence)
        const hashHex = item instanceof Error ? null : item.transaction.hashHex
        return { hashHex, outcome: this.pool.admit(item, time) }
      })
    })
    try {
      await commit()
    } catch (error) {
      for (const { hashHex } of admitted) if (hashHex !== null) this.sends.fail(hashHex, error)
      throw error
    }
    const sent = admitted.filter(
      ({ hashHex }) => hashHex !== null && this.sends.signedHere(hashHex) !== undefined,
    )
    if (sent.length > 0) void this.#settle(sent)
    return admitted.map(({ outcome }) => outcome)
  }

  /** As `FleetChainService.replacePool`. */
  async replacePool(entries: readonly PoolEntry[], state: AdmissionState | null): Promise<void> {
    const { assertWritable, commit } = this.#params
    const recovering = this.#recover(entries.map(({ encoded }) => encoded))
    recovering.catch(() => undefined)
    await this.#inOrder(async () => {
      const recovered = await recovering
      assertWritable()
      this.pool.replace(entries, recovered, state)
    })
    await commit()
  }

  /**
   * Resolves when a block that was made here is canonical.
   * @throws MiningError `NOT_HEAD` when another block took its height, the fleet takes too long, or the node stops
   */
  becomesHead({ hash, hashHex, number }: Block, longest: number = LONGEST_ROUND_WAIT): Promise<void> {
    const { chain } = this.#params
    return new Promise((resolve, reject) => {
      const end = (reason: string | null) => {
        clearTimeout(timer)
        stop()
        this.#ends.delete(end)
        if (reason === null) resolve()
        else reject(new MiningError('NOT_HEAD', `block ${number} ${hashHex} was made, but ${reason}`))
      }
      const look = () => {
        if (chain.head.number < number) return
        end(chain.reader.isCanonical(hash) ? null : `${chain.head.hashHex} became the head of the fleet`)
      }
      const timer = setTimeout(() => end(`the fleet has not made it its head within ${longest} ms`), longest)
      const stop = chain.onHead(look)
      this.#ends.add(end)
      look()
    })
  }

  /** Answers those who sent what is durable here, once all members have it. */
  async #settle(sent: readonly { hashHex: string | null; outcome: SendOutcome }[]): Promise<void> {
    try {
      await this.stable.wait()
      for (const { hashHex, outcome } of sent) this.sends.settle(hashHex ?? '', outcome)
    } catch {
      for (const { hashHex } of sent) this.sends.fail(hashHex ?? '', unknownOutcome())
    }
  }

  /** Resolves when what the pool has now is durable, and all members have it. @throws RpcError `fleetAway` */
  async #settled(): Promise<void> {
    const stable = this.stable.wait()
    // Whichever fails first is the answer.
    await Promise.all([this.#params.commit(), stable])
  }

  /**
   * Senders of what was sent here are known.
   * @throws what senders could not be recovered for: it is no outcome
   */
  async #recover(encoded: readonly Buffer[]): Promise<readonly (RecoveredTransaction | Error)[]> {
    const items = encoded.map((bytes) => {
      const decoded = decodeTransaction(bytes)
      return decoded instanceof Error ? decoded : this.sends.signedHere(decoded.hashHex)
    })
    const unknown = encoded.filter((_, index) => items[index] === undefined)
    const recovered = unknown.length === 0 ? [] : await recoverTransactions(unknown)
    const left = recovered.values()
    return items.map((item) => {
      if (item !== undefined) return item
      const { value } = left.next()
      if (value === undefined || value instanceof Error) throw value
      return value
    })
  }

  #accepted(blocks: readonly Block[]): void {
    if (this.#tell === null) return
    const { chain, flushed, onFailure } = this.#params
    const events = blocks.flatMap((block): FleetChainEvent[] => {
      if (this.#given.has(block.hashHex)) return []
      const { number, hash, encoded } = block
      if (this.#unheard + encoded.length > MOST_UNHEARD) return []
      this.#unheard += encoded.length
      const totalDifficulty = chain.reader.totalDifficulty(hash) ?? 0n
      return [{ kind: 'accepted', block: { number, hash, totalDifficulty }, encoded }]
    })
    if (events.length === 0) return
    // In the order of the commits.
    this.#told = this.#told
      .then(() => flushed())
      .then(() => {
        for (const event of events) this.#tell?.(event)
      })
      .catch(onFailure)
  }

  #inOrder<T>(action: () => Promise<T>): Promise<T> {
    const result = this.#last.then(action)
    this.#last = result.catch(() => undefined)
    return result
  }
}
