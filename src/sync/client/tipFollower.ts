import { type Block, parseBlockUnchecked } from '../../chain/codec/block.ts'
import type { BlockHeader } from '../../chain/codec/header.ts'
import { UNCLE_GENERATIONS } from '../../chain/consensus.ts'
import { keccak256 } from '../../native/crypto.ts'
import type { BlockIdentifier } from '../../p2p/messages/rskMessage.ts'
import type { Peer } from '../../p2p/peer.ts'
import { reasonOf, stallOf } from '../halt/stall.ts'
import type { BlockOutcome, BlockRefusal } from '../syncChain.ts'
import { ask } from './ask.ts'
import { mostWeight, toChecked } from './branch.ts'
import { stallOfFault } from './headerCheck.ts'
import { JudgedBlocks } from './judgedBlocks.ts'
import { createStop } from './pause.ts'
import { ADVANCED_BLOCKS, BAD_PROTOCOL } from './protocol.ts'
import type { CheckingDeps } from './sessionDeps.ts'
import { WaitingBlocks } from './waitingBlocks.ts'
import { WantedBlocks } from './wantedBlocks.ts'

/** Dependencies of a tip follower. */
export interface TipFollowerDeps extends CheckingDeps {
  /** True when a branch is being fetched: then blocks without a connected parent are left to that. */
  isFetching(): boolean
  /** True when synchronisation is halted. */
  isHalted(): boolean
  /** True when the tip is far above: announcements are ignored (p2p.md §5). */
  isFarBehind(): boolean
  /** The gap to a peer is too large for single blocks. */
  onGap(): void
  /** Called when a peer sent a block that the chain rejected, now or before. */
  onRefused(refusal: BlockRefusal, offering: readonly Peer[], leader: Peer, weight: bigint): void
}

/** Most identifiers of one announcement that are read. */
const MAX_ANNOUNCED = 64

/** Follows the tip by the blocks that peers announce and send (p2p.md §5, §6). */
export class TipFollower {
  readonly #deps: TipFollowerDeps
  readonly #waiting: WaitingBlocks
  readonly #wanted: WantedBlocks
  readonly #judging: JudgedBlocks
  readonly #stop = createStop()

  constructor(deps: TipFollowerDeps) {
    this.#deps = deps
    this.#waiting = new WaitingBlocks(deps.limits, deps.now)
    this.#wanted = new WantedBlocks(deps.now)
    this.#judging = new JudgedBlocks(deps.limits)
  }

  /** Bytes of blocks that wait for their parents. */
  get waitingBytes(): number {
    return this.#waiting.bytes
  }

  /** Call it about once a second. */
  tick(): void {
    this.#wanted.tick()
  }

  peerGone(peer: Peer): void {
    this.#wanted.peerGone(peer)
    this.#waiting.peerGone(peer)
  }

  close(): void {
    this.#stop.abort()
  }

  /** A peer announces blocks: unknown ones near the tip are requested. */
  announced(peer: Peer, blocks: readonly BlockIdentifier[]): void {
    const { chain } = this.#deps
    if (this.#deps.isHalted() || this.#deps.isFetching() || this.#deps.isFarBehind()) return
    chain.refresh()
    for (const { hash, number } of blocks.slice(0, MAX_ANNOUNCED)) {
      if (this.#isNear(number) && !this.#isKnown(hash)) this.#wanted.ask(peer, hash)
    }
  }

  /** A peer announces a block by its hash alone. */
  async announcedHash(peer: Peer, hash: Buffer): Promise<void> {
    const { chain, limits } = this.#deps
    if (this.#deps.isHalted() || this.#deps.isFetching() || this.#deps.isFarBehind()) return
    chain.refresh()
    if (this.#isKnown(hash) || peer.allowance <= limits.reserve) return
    const answer = await ask<'blockRequest'>(
      peer,
      { type: 'blockRequest', hash },
      limits.requestTimeout,
      this.#stop.signal,
    )
    if (typeof answer !== 'string') await this.received(peer, answer.block)
  }

  /** A peer sends a block. */
  async received(peer: Peer, encoded: Buffer): Promise<void> {
    const { chain, match } = this.#deps
    let block: Block
    try {
      block = parseBlockUnchecked(chain.spec, encoded)
    } catch (error) {
      const key = keccak256(encoded).toString('hex')
      this.#deps.stalls.record(stallOf('refusedHeader', { reason: reasonOf(error), peers: [peer], key }))
      // As the reference: malformed data ends the connection and is not scored (p2p.md §7).
      peer.disconnect(BAD_PROTOCOL)
      return
    }
    const { header, hashHex } = block
    this.#wanted.came(header.hash)
    chain.refresh()
    if (!this.#isWelcome(peer, block)) return
    // A block that does not fit will come again: it is announced with its descendants.
    if (!this.#judging.add(peer, hashHex, encoded.length)) return
    try {
      const fault = await this.#deps.check.alone([header], this.#stop.signal)
      if (this.#stop.signal.aborted) return
      if (fault !== null) this.#deps.stalls.record(stallOfFault(fault, [peer]))
      if (fault?.early === true) return
      if (fault !== null || !match.isBlock(toChecked(header, header.encodedCompressed), encoded)) {
        peer.score('invalidBlock')
        return
      }
      await this.#connectOrHold(peer, block, encoded)
    } finally {
      this.#judging.remove(hashHex)
    }
  }

  #isNear(number: number): boolean {
    const best = this.#deps.chain.tip.number
    return number > 0 && number >= best - UNCLE_GENERATIONS && number <= best + ADVANCED_BLOCKS
  }

  #isKnown(hash: Buffer): boolean {
    const hashHex = hash.toString('hex')
    return (
      this.#judging.has(hashHex) ||
      this.#waiting.has(hashHex) ||
      this.#deps.refused.find(hash) !== null ||
      this.#deps.stalls.isResting(hash) ||
      this.#deps.chain.reader.heightOf(hash) !== null
    )
  }

  #isWelcome(peer: Peer, { header }: Block): boolean {
    const { refused, checkpoints, chain } = this.#deps
    if (!this.#isNear(header.number)) return false
    const refusal = refused.find(header.hash)
    if (refusal !== null) {
      this.#deps.onRefused(refusal, [peer], peer, chain.tip.totalDifficulty)
      return false
    }
    if (checkpoints.contradicts(header.number, header.hash)) {
      peer.score('invalidHeader')
      return false
    }
    this.#deps.stalls.met(header.hash, [peer])
    return !this.#deps.isHalted() && !this.#isKnown(header.hash)
  }

  async #connectOrHold(peer: Peer, block: Block, encoded: Buffer): Promise<void> {
    const { chain } = this.#deps
    const parent = chain.reader.headerByHash(block.header.parentHash)
    if (parent === null) {
      this.#keep(peer, block, encoded)
      return
    }
    if (!this.#fits(peer, block, parent)) return
    if (await this.#connect(peer, block, encoded)) await this.#connectWaiting(block.hashHex)
    else this.#waiting.dropDescendants(block.hashHex)
  }

  /** Holds a block until its ancestors arrive, which its sender is asked for. */
  #keep(peer: Peer, block: Block, encoded: Buffer): void {
    const { chain, limits } = this.#deps
    if (this.#deps.isFetching()) return
    if (block.number > chain.tip.number + limits.missingAncestors) {
      this.#deps.onGap()
      return
    }
    if (!this.#waiting.add(peer, block, encoded)) return
    const { hash, waiting } = this.#waiting.missingBelow(block)
    if (waiting > limits.missingAncestors) {
      this.#waiting.dropDescendants(hash.toString('hex'))
      this.#deps.onGap()
      return
    }
    const isKnown = this.#deps.refused.find(hash) !== null || this.#deps.stalls.isResting(hash)
    if (isKnown) this.#waiting.dropDescendants(hash.toString('hex'))
    else this.#wanted.ask(peer, hash)
  }

  async #connectWaiting(hashHex: string): Promise<void> {
    const next = [hashHex]
    for (let hash = next.pop(); hash !== undefined; hash = next.pop()) {
      for (const { peer, block, encoded } of this.#waiting.takeChildren(hash)) {
        const parent = this.#deps.chain.reader.headerByHash(block.header.parentHash)
        if (parent === null) continue
        if (!this.#fits(peer, block, parent)) continue
        if (await this.#connect(peer, block, encoded)) next.push(block.hashHex)
        else this.#waiting.dropDescendants(block.hashHex)
      }
    }
  }

  /** True when a block keeps the rules against its parent. */
  #fits(peer: Peer, { header }: Block, parent: BlockHeader): boolean {
    const fault = this.#deps.check.onParent(header, parent)
    if (fault === null) return true
    this.#deps.stalls.record(stallOfFault(fault, [peer]))
    peer.score('invalidBlock')
    return false
  }

  /** @returns whether the block is connected */
  async #connect(peer: Peer, block: Block, encoded: Buffer): Promise<boolean> {
    const { chain, budget, progress } = this.#deps
    const isBeside = !block.header.parentHash.equals(chain.tip.hash)
    if (isBeside && !budget.allows(peer.address, encoded.length)) return false
    const outcome = await this.#judge(encoded)
    chain.refresh()
    switch (outcome.status) {
      case 'IMPORTED_BEST':
      case 'IMPORTED_NOT_BEST':
        if (outcome.status === 'IMPORTED_NOT_BEST') budget.charge(peer.address, encoded.length)
        progress.blocks(1)
        peer.score('validBlock')
        return true
      case 'EXIST':
        return true
      case 'INVALID_BLOCK':
        this.#refuse(peer, block, outcome)
        return false
      case 'UNDECIDED':
        this.#stall(peer, block, outcome.reason)
        return false
      default:
        return false
    }
  }

  async #judge(encoded: Buffer): Promise<BlockOutcome> {
    try {
      const [outcome] = await this.#deps.chain.connect([encoded])
      return outcome ?? { status: 'UNDECIDED', reason: 'the chain gave no answer' }
    } catch (error) {
      return { status: 'UNDECIDED', reason: reasonOf(error) }
    }
  }

  /** This node could not judge a block: it is tried again later, as long as nothing heavier comes. */
  #stall(peer: Peer, { header }: Block, reason: string): void {
    const { chain, stalls } = this.#deps
    const work = (chain.reader.totalDifficulty(header.parentHash) ?? 0n) + header.difficulty
    const { number, hash } = header
    const details = { number, hash, reason, peers: [peer], isCertain: true, work }
    stalls.record(stallOf('undecidedBlock', details))
  }

  #refuse(peer: Peer, block: Block, outcome: Extract<BlockOutcome, { status: 'INVALID_BLOCK' }>): void {
    const { chain, refused, onRefused } = this.#deps
    const refusal = { ...outcome.refusal, number: block.number, hash: block.header.hash }
    refused.add(refusal)
    const below = chain.reader.totalDifficulty(block.header.parentHash) ?? 0n
    onRefused(refusal, [peer], peer, below + mostWeight(block.header))
  }
}
