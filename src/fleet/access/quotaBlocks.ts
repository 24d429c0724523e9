import type { GrantAsk } from './grantCodec.ts'

/** Part of a quota that the leader reserves at a time (fleet.md §7). */
const BLOCK_SHARE = 0.01

/** Attempts to reserve a block while another leader reserves, too. */
const MOST_ATTEMPTS = 5

/** Keys whose block is kept. Each takes some 200 bytes. */
const MOST_BLOCKS = 262_144

/** A record of the bucket of quotas: what was reserved of a quota on a day. */
export interface QuotaRecord {
  /** Cost units. */
  readonly reserved: number
  /** Of the record, for compare-and-set; 0 while there is none. */
  readonly revision: number
}

/** The bucket of quotas. */
export interface QuotaStore {
  /** @throws when it does not answer */
  read(day: number, id: string): Promise<QuotaRecord>
  /** Writes a record that follows a revision; false when another one was written meanwhile. */
  write(day: number, id: string, next: QuotaRecord): Promise<boolean>
}

/** What is given of the quota of a day, cost units. */
export interface QuotaGrant {
  readonly units: number
  readonly covered: number
  /** What is left for the fleet, as far as this leader knows. */
  readonly left: number
}

interface Block {
  readonly day: number
  /** Reserved and not granted yet. */
  stock: number
  /** Of all leaders, as last read; null before. */
  reserved: number | null
  /** A reservation that is under way. */
  pending: Promise<void> | null
}

const NOTHING: QuotaGrant = { units: 0, covered: 0, left: 0 }

/**
 * Quotas of the day in the hands of the leader, which reserves a hundredth of a quota at a time by compare-and-set
 * and grants from that. What it has when it ends is lost for the day, so that no unit is given twice; under no clock,
 * because each day has a record of its own.
 */
export class QuotaBlocks {
  readonly #store: QuotaStore
  readonly #onFailure: (error: unknown) => void
  readonly #blocks = new Map<string, Block>()

  /** @param onFailure gets what the store threw; nothing is granted then */
  constructor(store: QuotaStore, onFailure: (error: unknown) => void) {
    this.#store = store
    this.#onFailure = onFailure
  }

  /** Grants units of a day, as far as they are there. */
  async grant(day: number, ask: GrantAsk): Promise<QuotaGrant> {
    const { dailyQuota, quotaWanted, quotaOverdrawn } = ask
    if (dailyQuota === 0) return NOTHING
    const block = this.#blockOf(day, ask.id)
    if (block === null) return NOTHING
    const needed = Math.ceil(quotaWanted + quotaOverdrawn)
    const size = Math.ceil(dailyQuota * BLOCK_SHARE)
    const hasMore = () => block.reserved === null || block.reserved < dailyQuota
    if (block.stock < needed && hasMore())
      await this.#reserve(block, ask, Math.max(needed - block.stock, size))
    const covered = Math.min(Math.ceil(quotaOverdrawn), block.stock)
    const units = Math.min(Math.ceil(quotaWanted), block.stock - covered)
    block.stock -= covered + units
    // In advance, so that the next one does not wait for the bucket.
    if (block.stock < size / 2 && hasMore() && block.pending === null) void this.#reserve(block, ask, size)
    return { units, covered, left: Math.max(0, dailyQuota - (block.reserved ?? dailyQuota)) + block.stock }
  }

  async #reserve(block: Block, ask: GrantAsk, units: number): Promise<void> {
    if (block.pending !== null) {
      await block.pending
      if (block.stock >= units) return
    }
    block.pending ??= this.#take(block, ask, units)
      .catch(this.#onFailure)
      .finally(() => {
        block.pending = null
      })
    await block.pending
  }

  async #take(block: Block, { id, dailyQuota }: GrantAsk, units: number): Promise<void> {
    const { day } = block
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      const { reserved, revision } = await this.#store.read(day, id)
      const taken = Math.max(0, Math.min(units, dailyQuota - reserved))
      if (taken > 0 && !(await this.#store.write(day, id, { reserved: reserved + taken, revision }))) continue
      block.reserved = reserved + taken
      block.stock += taken
      return
    }
  }

  #blockOf(day: number, id: string): Block | null {
    const known = this.#blocks.get(id)
    if (known !== undefined) {
      if (known.day === day) return known
      // What was reserved of the other day is lost: that day may come back under another leader.
      this.#blocks.delete(id)
    }
    if (this.#blocks.size >= MOST_BLOCKS) this.#dropOtherDays(day)
    if (this.#blocks.size >= MOST_BLOCKS) return null
    const block: Block = { day, stock: 0, reserved: null, pending: null }
    this.#blocks.set(id, block)
    return block
  }

  #dropOtherDays(day: number): void {
    for (const [id, block] of this.#blocks) if (block.day !== day) this.#blocks.delete(id)
  }
}
