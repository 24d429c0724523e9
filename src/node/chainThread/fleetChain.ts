import type { Block } from '../../chain/codec/block.ts'
import type { BlockHeader } from '../../chain/codec/header.ts'
import type { BlockReference } from '../../chain/tables/blockKey.ts'
import { delay } from '../../fleet/delay.ts'
import type { FleetBlock, LinkedBlock } from '../../fleet/head/fleetBlock.ts'
import type { BlockMaker, ChainBranch, FleetChainEvent, FleetTeller } from '../../fleet/interface.ts'
import type { WorkSharing } from '../../mining/interface.ts'
import { RpcError } from '../../rpc/errors.ts'
import type { ChainSharing, SharedParts } from './chainSharing.ts'

/** Blocks below the head that the fleet thread is told at its start: others may stand on them. */
const RECENT_BLOCKS = 64
/** Newest blocks of a commit that the fleet thread is told of. */
const TOLD_BLOCKS = 64
/** Most that it is told of blocks that wait to be adopted. */
const MAX_RECENT = 512

/** The chain thread of a member of a fleet: executed blocks and sends wait for the others (fleet.md §3, §5). */
export class FleetChain implements ChainSharing {
  readonly work: WorkSharing = {
    tell: (template) => void this.#teller?.tellWork(template).catch(() => undefined),
  }
  readonly #sendWait: number
  #parts: SharedParts | null = null
  /** Milliseconds after which this thread adopts by itself; null while blocks are adopted at once. */
  #longest: number | null = null
  #timer: NodeJS.Timeout | null = null
  #teller: FleetTeller | null = null
  #tell: ((event: FleetChainEvent) => void) | null = null
  #maker: BlockMaker = { kind: 'unknown' }
  readonly #listeners: ((blocks: readonly BlockReference[]) => void)[] = []
  #settlers: (() => void)[] = []
  /** The events so far, in the order of the commits. */
  #told: Promise<void> = Promise.resolve()
  #adopting: Promise<void> = Promise.resolve()

  /** @param sendWait milliseconds for which an acknowledgement waits at most */
  constructor(sendWait: number) {
    this.#sendWait = sendWait
  }

  begin(parts: SharedParts): void {
    this.#parts = parts
    parts.chain.onAccepted((blocks) => this.#accepted(blocks))
    parts.chain.onHead(() => this.#headChanged())
  }

  adoptsAtOnce(): boolean {
    return this.#longest === null
  }

  /** Connects it to the fleet thread. @returns disconnects it, unless another took its place */
  attach(teller: FleetTeller, tell: (event: FleetChainEvent) => void): () => void {
    this.#teller = teller
    this.#tell = tell
    return () => {
      if (this.#tell !== tell) return
      this.#teller = null
      this.#tell = null
      this.hold(null)
    }
  }

  /** As `FleetChainService.holdHeads`. */
  hold(longest: number | null): void {
    this.#longest = longest
    if (longest === null) void this.#adoptHeaviest()
  }

  makeBlocks(maker: BlockMaker): void {
    this.#maker = maker
  }

  /** The own chain around its head. */
  branch(): ChainBranch {
    const { best, head, reader } = this.#open().chain
    const recent: LinkedBlock[] = []
    let header: BlockHeader | null = best
    while (header !== null && recent.length < (header.number > head.number ? MAX_RECENT : RECENT_BLOCKS)) {
      recent.push(this.#linked(header))
      header = reader.headerByHash(header.parentHash)
    }
    return { adopted: this.#blockOf(head), executed: this.#blockOf(best), recent: recent.reverse() }
  }

  /** Makes a block on the way to the heaviest one the head; durable when it resolves. */
  adopt(hash: Buffer): Promise<void> {
    const adopting = this.#adopting.then(() => this.#adoptNow(hash))
    this.#adopting = adopting.catch(() => undefined)
    return adopting
  }

  share(transactions: readonly Buffer[]): Promise<void> | null {
    const telling = this.#teller?.tell(transactions)
    if (telling === undefined) return null
    const began = performance.now()
    return Promise.race([telling.catch(() => undefined), delay(this.#sendWait)]).then(() =>
      this.#tell?.({ kind: 'waited', milliseconds: performance.now() - began }),
    )
  }

  settled(): Promise<void> | null {
    const { chain } = this.#open()
    if (chain.best === chain.head) return null
    return new Promise((resolve) => this.#settlers.push(resolve))
  }

  onExecuted(listener: (blocks: readonly BlockReference[]) => void): void {
    this.#listeners.push(listener)
  }

  refused(hash: Buffer): void {
    this.#tell?.({ kind: 'refused', hash })
  }

  makesBlocks(): boolean {
    return this.#maker.kind === 'self'
  }

  assertMaker(): void {
    if (this.#maker.kind === 'self') return
    throw new RpcError(
      'methodUnavailable',
      this.#maker.kind === 'other'
        ? `the member ${this.#maker.name} makes the blocks of this fleet: ask it`
        : 'this member has not heard yet which member of its fleet makes blocks: ask again',
    )
  }

  assertAlone(): void {
    throw new RpcError(
      'methodUnavailable',
      'a member of a fleet takes no edits, rewinds, impersonated senders and instant mining: other members have its chain, too',
    )
  }

  close(): void {
    this.#watch(false)
    this.#settle()
  }

  async #adoptNow(hash: Buffer): Promise<void> {
    const { chain, commit, assertWritable } = this.#open()
    if (!this.#isOnWay(hash)) return
    assertWritable()
    chain.moveHead(hash)
    await commit()
  }

  async #adoptHeaviest(): Promise<void> {
    if (this.#parts === null) return
    const { chain, onFailure } = this.#parts
    if (chain.best !== chain.head) await this.adopt(chain.best.hash).catch(onFailure)
  }

  /**
   * True when a block is on the way from the head to the best executed one; a branch is left for a heavier one alone.
   */
  #isOnWay(hash: Buffer): boolean {
    const { reader, head, best } = this.#open().chain
    const number = reader.heightOf(hash)
    const weight = reader.totalDifficulty(hash)
    if (number === null || weight === null || reader.isCanonical(hash)) return false
    if (best.hash.equals(hash)) return true
    if (weight <= (reader.totalDifficulty(head.hash) ?? 0n)) return false
    let header = best
    while (header.number > number) {
      const parent = reader.headerByHash(header.parentHash)
      if (parent === null) return false
      header = parent
    }
    return header.hash.equals(hash)
  }

  #accepted(blocks: readonly Block[]): void {
    const { chain } = this.#open()
    const { best, head } = chain
    const told = blocks
      .slice(-TOLD_BLOCKS)
      .map(({ hash, number, header: { parentHash } }) => this.#linked({ hash, number, parentHash }))
    this.#tellLater({ kind: 'executed', blocks: told, heaviest: this.#blockOf(best) })
    if (best === head) return
    // They are given to peers now, not when they are adopted.
    const ahead = blocks.filter(({ hashHex, number }) => number > head.number || hashHex === best.hashHex)
    for (const listener of this.#listeners) listener(ahead.map(({ number, hash }) => ({ number, hash })))
    if (this.#longest === null) void this.#adoptHeaviest()
    else if (this.#timer === null) this.#watch(true)
  }

  /** Blocks wait from now on, or none does: when nobody says in time that they may be adopted, they are. */
  #watch(waits: boolean): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    if (!waits || this.#longest === null) return
    this.#timer = setTimeout(() => {
      this.#timer = null
      void this.#adoptHeaviest()
    }, this.#longest)
  }

  #headChanged(): void {
    const { best, head } = this.#open().chain
    this.#tellLater({ kind: 'adopted', head: this.#blockOf(head) })
    // What is left has its own time: the fleet thread is at work.
    this.#watch(best !== head)
    if (best === head) this.#settle()
  }

  #settle(): void {
    for (const resolve of this.#settlers.splice(0)) resolve()
  }

  /** Tells the fleet thread once what happened so far is durable. */
  #tellLater(event: FleetChainEvent): void {
    if (this.#tell === null) return
    const { commit, onFailure } = this.#open()
    this.#told = this.#told
      .then(commit)
      .then(() => this.#tell?.(event))
      .catch(onFailure)
  }

  #blockOf({ number, hash }: BlockReference): FleetBlock {
    return { number, hash, totalDifficulty: this.#open().chain.reader.totalDifficulty(hash) ?? 0n }
  }

  #linked(block: Pick<BlockHeader, 'hash' | 'number' | 'parentHash'>): LinkedBlock {
    return { ...this.#blockOf(block), parentHash: block.parentHash }
  }

  #open(): SharedParts {
    if (this.#parts === null) throw new Error('the chain is not open yet')
    return this.#parts
  }
}
