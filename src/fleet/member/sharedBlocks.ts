import type { FleetBlock, MemberId } from '../interface.ts'
import type { Announcement } from './announcement.ts'
import { MOST_MEMBERS } from './headEntry.ts'
import type { MemberChain } from './memberPorts.ts'

/** Blocks of others that an announcement names beside the newest ones of this member. */
export const ANNOUNCED_SHARED = 8

/**
 * The heaviest block of each other member that this one has executed as well. A member that is far ahead of another one
 * announces none of its blocks otherwise, and no block would be a candidate until both are at the tip (fleet.md §3).
 */
export class SharedBlocks {
  readonly #chain: Pick<MemberChain, 'executed'>
  readonly #shared = new Map<MemberId, FleetBlock>()

  constructor(chain: Pick<MemberChain, 'executed'>) {
    this.#chain = chain
  }

  /**
   * Looks at what a member announces.
   * @param own the blocks that this member announces anyhow
   * @param above total difficulty of the fleet head
   * @returns whether there is something new to announce
   */
  async hear(
    { member, executed }: Announcement,
    own: readonly FleetBlock[],
    above: bigint,
  ): Promise<boolean> {
    const known = this.#shared.get(member)
    const least = known !== undefined && known.totalDifficulty > above ? known.totalDifficulty : above
    let heaviest = 0n
    for (const { totalDifficulty } of own) if (totalDifficulty > heaviest) heaviest = totalDifficulty
    const worth = executed
      .filter(({ totalDifficulty }) => totalDifficulty > least && totalDifficulty <= heaviest)
      .toSorted((left, right) => (left.totalDifficulty > right.totalDifficulty ? -1 : 1))
    for (const block of worth) {
      if (own.some(({ hash }) => hash.equals(block.hash))) return false
      const found = await this.#chain.executed(block.hash)
      if (found === null) continue
      if (known === undefined && this.#shared.size >= MOST_MEMBERS) return false
      this.#shared.set(member, found)
      return true
    }
    return false
  }

  /** Those above the fleet head, the lightest first: a member that is behind all others decides what all have. */
  newest(above: bigint): readonly FleetBlock[] {
    for (const [member, { totalDifficulty }] of this.#shared)
      if (totalDifficulty <= above) this.#shared.delete(member)
    return [...this.#shared.values()]
      .toSorted((left, right) => (left.totalDifficulty < right.totalDifficulty ? -1 : 1))
      .slice(0, ANNOUNCED_SHARED)
  }
}
