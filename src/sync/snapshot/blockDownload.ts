import { type Block, parseBlockUnchecked } from '../../chain/codec/block.ts'
import { recoverSendersAside } from '../../chain/codec/signature.ts'
import type { ReadBlock } from '../../chain/import/messages.ts'
import { packSenders } from '../../chain/import/senders.ts'
import type { NetworkSpec } from '../../config/networkSpec.ts'
import type { Peer } from '../../p2p/peer.ts'
import { ask } from '../client/ask.ts'
import { type BodyMatch, BodyRules } from '../client/bodyMatch.ts'
import { toChecked } from '../client/branch.ts'
import type { HeaderCheck } from '../client/headerCheck.ts'
import { createStop } from '../client/pause.ts'
import { SNAP_BLOCKS } from '../client/protocol.ts'
import type { Suppliers } from '../client/suppliers.ts'
import type { SnapshotLimits } from './limits.ts'
import type { SnapshotStore, WantedBlock } from './snapshotStore.ts'

/** Dependencies of the download of blocks below a snapshot. */
export interface BlockDownloadDeps {
  readonly spec: NetworkSpec
  readonly store: Pick<SnapshotStore, 'takeBlocks'>
  /** Peers that have the snapshot's block. */
  readonly suppliers: Suppliers
  readonly limits: Pick<SnapshotLimits, 'bulkTimeout' | 'groupsAhead'>
  readonly check: Pick<HeaderCheck, 'alone'>
  onLied(peer: Peer): void
  /** Called when blocks were accepted. @param next height of the next one */
  onBlocks(count: number, bytes: number, next: number): void
}

/** Blocks of one response, ascending, each the parent of the next, and the peer that sent them. */
interface Group {
  readonly peer: Peer
  readonly blocks: readonly Block[]
}

/**
 * Fetches the blocks up to a known hash in descending order, some hundred per response (p2p.md §5 Snapshot
 * sync), several responses at once. Each block is identified by the block above, has the body that its header
 * commits to, and proves its work, which the hash does not cover.
 */
export class BlockDownload {
  readonly #deps: BlockDownloadDeps
  readonly #match: BodyMatch
  readonly #stop = createStop()

  constructor(deps: BlockDownloadDeps) {
    this.#deps = deps
    this.#match = new BodyRules(deps.spec)
  }

  stop(): void {
    this.#stop.abort()
    this.#deps.suppliers.wake()
  }

  /**
   * @returns whether all needed blocks are stored; false where no peer provides the next ones
   * @throws internal errors
   */
  async run(first: WantedBlock): Promise<boolean> {
    const ahead = new Map<number, Promise<Group | null>>()
    let wanted: WantedBlock | null = first
    try {
      while (wanted !== null) {
        this.#askAhead(ahead, wanted)
        const { number } = wanted
        const group: Group | null = await (ahead.get(number) as Promise<Group | null>)
        ahead.delete(number)
        if (group === null || this.#stop.signal.aborted) return false
        const taken: readonly Block[] = group.blocks.filter((block) => block.number >= first.lowest)
        if (!wanted.hash.equals(taken.at(-1)?.hash ?? Buffer.alloc(0))) {
          this.#deps.onLied(group.peer)
          continue
        }
        wanted = await this.#take(taken)
      }
      return true
    } finally {
      this.stop()
      await Promise.allSettled(ahead.values())
    }
  }

  /**
   * A response may have fewer blocks than possible, so that requests ahead are a guess; they are repeated
   * then.
   */
  #askAhead(ahead: Map<number, Promise<Group | null>>, { number, lowest }: WantedBlock): void {
    for (const top of ahead.keys()) if (top > number || (number - top) % SNAP_BLOCKS !== 0) ahead.delete(top)
    for (let index = 0; index < this.#deps.limits.groupsAhead; index += 1) {
      const top = number - index * SNAP_BLOCKS
      if (top < lowest) return
      if (ahead.has(top)) continue
      const fetch = this.#fetch(top)
      // The rejection of one that is no longer awaited is ignored.
      fetch.catch(() => undefined)
      ahead.set(top, fetch)
    }
  }

  async #fetch(top: number): Promise<Group | null> {
    const { suppliers, limits } = this.#deps
    const { signal } = this.#stop
    const tried = new Set<Peer>()
    while (!signal.aborted) {
      const peer = suppliers.pick('bodies', 1, top, tried)
      if (peer === null) {
        if (!suppliers.hasOther(top, tried)) return null
        await suppliers.changed()
        continue
      }
      suppliers.asked(peer, 'bodies')
      const question = { type: 'snapBlocksRequest', blockNumber: top + 1 } as const
      const answer = await ask<'snapBlocksRequest'>(peer, question, limits.bulkTimeout, signal)
      suppliers.answered(peer, 'bodies', typeof answer === 'string' ? answer : 'ok')
      if (answer === 'BUSY') continue
      tried.add(peer)
      if (typeof answer === 'string') continue
      const blocks = await this.#check(answer.blocks, top)
      if (blocks !== null) return { peer, blocks }
      if (!signal.aborted) this.#deps.onLied(peer)
    }
    return null
  }

  async #check(encoded: readonly Buffer[], top: number): Promise<readonly Block[] | null> {
    const { spec, check } = this.#deps
    if (encoded.length === 0 || encoded.length > SNAP_BLOCKS) return null
    const blocks: Block[] = []
    for (const [index, bytes] of encoded.entries()) {
      const block = parse(spec, bytes)
      if (block === null || block.number !== top + 1 - encoded.length + index) return null
      const below = blocks.at(-1)
      if (below !== undefined && !block.header.parentHash.equals(below.hash)) return null
      if (!this.#match.isBlock(toChecked(block.header, block.header.encodedCompressed), bytes)) return null
      blocks.push(block)
    }
    const fault = await check.alone(
      blocks.map(({ header }) => header),
      this.#stop.signal,
    )
    return fault === null ? blocks : null
  }

  async #take(ascending: readonly Block[]): Promise<WantedBlock | null> {
    const { store, onBlocks } = this.#deps
    const read: ReadBlock[] = []
    let bytes = 0
    for (const block of ascending.toReversed()) {
      block.setSenders(await recoverSendersAside(block.transactions))
      const rlp = block.encoded
      bytes += rlp.length
      read.push({ rlp, senders: packSenders(block), position: block.number })
    }
    const wanted = await store.takeBlocks(read)
    onBlocks(read.length, bytes, wanted?.number ?? 0)
    return wanted
  }
}

function parse(spec: NetworkSpec, bytes: Buffer): Block | null {
  try {
    return parseBlockUnchecked(spec, bytes)
  } catch {
    return null
  }
}
