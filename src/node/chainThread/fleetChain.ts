import type { Block } from '../../chain/codec/block.ts'
import type { BlockHeader } from '../../chain/codec/header.ts'
import type { BlockReference } from '../../chain/tables/blockKey.ts'
import { delay } from '../../fleet/delay.ts'
import type { FleetBlock, LinkedBlock } from '../../fleet/head/fleetBlock.ts'
import type { BlockMaker, ChainBranch, FleetAnnouncer, FleetChainEvent } from '../../fleet/interface.ts'
import type { WorkSharing } from '../../mining/interface.ts'
import { RpcError } from '../../rpc/errors.ts'
import type { ChainSharing, SharedParts } from './chainSharing.ts'

/** Blocks below the head that are reported to the fleet thread at its start: others may stand on them. */
const RECENT_BLOCKS = 64
/** Newest blocks of a commit that are reported to the fleet thread. */
const REPORTED_BLOCKS = 64
/** Most blocks that wait to be adopted and are reported to it. */
const MAX_RECENT = 512

/** The chain thread of a member of a fleet: executed blocks and sends wait for the others (fleet.md §3, §5). */
export class FleetChain implements ChainSharing {
  readonly work: WorkSharing = {
    announce: (template) => void this.#announcer?.announceWork(template).catch(() => undefined),
  }
  readonly #sendWait: number
  #parts: SharedParts | null = null
  /** Milliseconds after which this thread adopts by itself; null while blocks are adopted at once. */
  #longest: number | null = null
  #timer: NodeJS.Timeout | null = null
  #announcer: FleetAnnouncer | null = null
  #notify: ((event: FleetChainEvent) => void) | null = null
  #maker: BlockMaker = { kind: 'unknown' }
  readonly #listeners: ((blocks: readonly BlockReference[]) => void)[] = []
  #settlers: (() => void)[] = []
  /** The events so far, in the order of the commits. */
  #reported: Promise<void> = Promise.resolve()
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

  /** Connects it to the fleet thread. @returns disconnects it, unless another replaced it */
  attach(announcer: FleetAnnouncer, notify: (event: FleetChainEvent) => void): () => void {
    this.#announcer = announcer
    this.#notify = notify
    return () => {
      if (this.#notify !== notify) return
      this.#announcer = null
      this.#notify = null
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
    const announcing = this.#announcer?.announce(transactions)
    if (announcing === undefined) return null
    const began = performance.now()
    return Promise.race([announcing.catch(() => undefined), delay(this.#sendWait)]).then(() =>
      this.#notify?.({ kind: 'waited', milliseconds: performance.now() - began }),
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
    this.#notify?.({ kind: 'refused', hash })
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
        : 'this member does not know yet which member of its fleet makes blocks: ask again',
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
    const reported = blocks
      .slice(-REPORTED_BLOCKS)
      .map(({ hash, number, header: { parentHash } }) => this.#linked({ hash, number, parentHash }))
    this.#reportLater({ kind: 'executed', blocks: reported, heaviest: this.#blockOf(best) })
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
    this.#reportLater({ kind: 'adopted', head: this.#blockOf(head) })
    // What is left has its own time: the fleet thread is at work.
    this.#watch(best !== head)
    if (best === head) this.#settle()
  }

  #settle(): void {
    for (const resolve of this.#settlers.splice(0)) resolve()
  }

  /** Reports to the fleet thread once what happened so far is durable. */
  #reportLater(event: FleetChainEvent): void {
    if (this.#notify === null) return
    const { commit, onFailure } = this.#open()
    this.#reported = this.#reported
      .then(commit)
      .then(() => this.#notify?.(event))
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
