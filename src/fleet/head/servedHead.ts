import type { MemberId } from '../member.ts'
import { BlockTree } from './blockTree.ts'
import type { FleetBlock, LinkedBlock } from './fleetBlock.ts'

/** Blocks in a row for which a member may be late before it is not waited for. */
const LATE_BLOCKS = 3

/** The known state of another present member. */
export interface OtherHead {
  readonly id: MemberId
  readonly executed: Pick<FleetBlock, 'hash'>
  readonly adopted: Pick<FleetBlock, 'hash'>
  /** Hashes of blocks that are invalid for it, hex. */
  readonly refused: readonly string[]
}

/** A block that may be adopted now, and why. */
export interface HeadStep {
  readonly block: LinkedBlock
  /** All that are waited for have it, another one has adopted it, or the wait is over. */
  readonly why: 'executed' | 'adopted' | 'late'
  /** Milliseconds for which it waited. */
  readonly waited: number
}

/** The next step. */
export interface HeadPlan {
  readonly step: HeadStep | null
  /** Time to look again unless something happens before; null for never. */
  readonly at: number | null
}

/**
 * Which executed block may be adopted (fleet.md §3). Synchronous: its methods receive what happened, and are asked with the time,
 * milliseconds of one monotonic clock.
 */
export class ServedHead {
  readonly #wait: number
  readonly #tree = new BlockTree()
  /** Blocks in a row for which members were late. */
  readonly #lateness = new Map<MemberId, number>()
  /** Blocks that another one adopted before the wait for them was over here: who lacks them then is late for them. */
  readonly #early: LinkedBlock[] = []
  #head: FleetBlock | null = null
  #heaviest: FleetBlock | null = null

  /** @param wait milliseconds for which a block waits at most */
  constructor(wait: number) {
    this.#wait = wait
  }

  /** Members that are not waited for because they were late. */
  get late(): ReadonlySet<MemberId> {
    return new Set([...this.#lateness.keys()].filter((id) => this.#isLate(id)))
  }

  /** Blocks are executed and durable. */
  executed(blocks: readonly LinkedBlock[], heaviest: FleetBlock, now: number): void {
    for (const block of blocks) this.#tree.add(block, now)
    this.#heaviest = heaviest
    this.#head ??= heaviest
  }

  /** True for one of the newest blocks that this member has executed. */
  has({ hash }: Pick<FleetBlock, 'hash'>): boolean {
    return this.#tree.get(hash) !== undefined
  }

  /** The canonical head of this member. */
  adopted(head: FleetBlock): void {
    this.#head = head
  }

  /** Another member has executed a block: one that is in time again is waited for again. */
  received({ id, executed }: Pick<OtherHead, 'id' | 'executed'>, now: number): void {
    const at = this.#tree.executedAt(executed.hash)
    if (at !== undefined && now - at <= this.#wait) this.forget(id)
  }

  /** A member is gone: how late it was says nothing of its next life. */
  forget(id: MemberId): void {
    this.#lateness.delete(id)
  }

  /** The block that may be adopted now. Call {@link adopted} when it is. */
  plan(others: readonly OtherHead[], now: number): HeadPlan {
    while (this.#early[0] !== undefined && this.#endOf(this.#early[0], now) <= now)
      this.#countLate(this.#early.shift() as LinkedBlock, others)
    const way = this.#way()
    for (const block of way) {
      const step = this.#judge(block, others, now)
      if (step !== null) return { step, at: null }
    }
    const ends = [way.at(-1), this.#early[0]].flatMap((block) =>
      block === undefined ? [] : [this.#endOf(block, now)],
    )
    return { step: null, at: ends.length === 0 ? null : Math.min(...ends) }
  }

  #judge(block: LinkedBlock, others: readonly OtherHead[], now: number): HeadStep | null {
    const end = this.#endOf(block, now)
    const waited = now - (end - this.#wait)
    const isLacking = others.some((other) => this.#isWaitedFor(other, block))
    if (others.some(({ adopted }) => this.#tree.isOn(block, adopted.hash))) {
      if (isLacking && now < end) this.#early.push(block)
      return { block, why: 'adopted', waited }
    }
    if (!isLacking) return { block, why: 'executed', waited }
    if (waited < this.#wait) return null
    this.#countLate(block, others)
    return { block, why: 'late', waited }
  }

  #countLate(block: LinkedBlock, others: readonly OtherHead[]): void {
    const lacking = others.filter((other) => this.#isWaitedFor(other, block))
    for (const { id } of lacking) this.#lateness.set(id, (this.#lateness.get(id) ?? 0) + 1)
  }

  /** A member whose head is below the block, and which did not refuse it. */
  #isWaitedFor({ id, executed, refused }: OtherHead, block: LinkedBlock): boolean {
    if (this.#isLate(id) || executed.hash.equals(block.hash)) return false
    const own = this.#tree.get(executed.hash)
    if (own === undefined || !this.#tree.isOn(own, block.hash)) return false
    return !refused.some((hash) => {
      const found = this.#tree.get(Buffer.from(hash, 'hex'))
      return found !== undefined && this.#tree.isOn(found, block.hash)
    })
  }

  /** Blocks above the head on the way to the heaviest one, that one first; of another branch those that are heavier. */
  #way(): readonly LinkedBlock[] {
    const head = this.#head
    const way: LinkedBlock[] = []
    if (head === null || this.#heaviest === null) return way
    let block = this.#tree.get(this.#heaviest.hash)
    while (block !== undefined && !block.hash.equals(head.hash)) {
      if (way.length > 0 && block.totalDifficulty <= head.totalDifficulty) break
      way.push(block)
      block = this.#tree.get(block.parentHash)
    }
    return way
  }

  #isLate(id: MemberId): boolean {
    return (this.#lateness.get(id) ?? 0) >= LATE_BLOCKS
  }

  /** Time at which the wait for a block is over. */
  #endOf({ hash }: LinkedBlock, now: number): number {
    return (this.#tree.executedAt(hash) ?? now - this.#wait) + this.#wait
  }
}
