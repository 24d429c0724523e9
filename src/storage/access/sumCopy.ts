import type { Transaction } from 'lmdb'
import { asBuffer } from '../../util/bytes.ts'
import type { AccessTables } from './accessTables.ts'
import { AccessError } from './errors.ts'
import { type FleetMark, readFleetMark } from './fleetMark.ts'
import { decodeUsage, parseUsageKey } from './usageRecord.ts'

const SEQUENCE_BYTES = 6

/** Up to where a sum goes. */
export interface SumHead extends Pick<FleetMark, 'stream' | 'position' | 'storedAt'> {
  /** Member and epoch, with the last sequence of them that is in the sum. */
  readonly applied: readonly (readonly [writer: string, sequence: number])[]
}

/** A row of the table of usage, as it is stored. */
export type SumRow = readonly [key: Buffer, value: Buffer]

/** A page of a sum. */
export interface SumPage {
  readonly rows: readonly SumRow[]
  /** Key after which the next page begins; null at the end. */
  readonly next: Buffer | null
}

/** The sum of a fleet at one moment, for a member that missed a part of the stream (fleet.md §7). */
export class SumCopy {
  readonly #tables: AccessTables
  #read: Transaction | null = null

  constructor(tables: AccessTables) {
    this.#tables = tables
  }

  /** Holds the sum as it is now for {@link page}, in place of one that was held before. */
  hold(): SumHead | null {
    this.release()
    const { root, metadata, fleet } = this.#tables
    root.resetReadTxn()
    this.#read = root.useReadTransaction()
    const mark = readFleetMark(metadata, this.#read)
    if (mark === null) return null
    const { stream, position, storedAt } = mark
    const applied = [...fleet.applied.getRange({ transaction: this.#read })].map(
      ({ key, value }) =>
        [asBuffer(key).toString('latin1'), asBuffer(value).readUIntBE(0, SEQUENCE_BYTES)] as const,
    )
    return { stream, position, storedAt, applied }
  }

  /** Rows of the sum that is held, after a key. @param most bytes */
  page(after: Buffer | null, most: number): SumPage {
    const transaction = this.#read
    if (transaction === null) throw new AccessError('ACCESS_DAMAGED', 'no sum is held')
    const rows: SumRow[] = []
    let bytes = 0
    const start = after === null ? Buffer.alloc(1) : Buffer.concat([after, Buffer.from([0])])
    for (const { key, value } of this.#tables.usage.getRange({ start, transaction })) {
      const row = [Buffer.from(asBuffer(key)), Buffer.from(asBuffer(value))] as const
      bytes += row[0].length + row[1].length
      if (bytes > most && rows.length > 0) return { rows, next: rows.at(-1)?.[0] ?? null }
      rows.push(row)
    }
    return { rows, next: null }
  }

  /** Lets go of the sum that is held. */
  release(): void {
    this.#read?.done()
    this.#read = null
  }

  /** Drops what was kept of a sum before. */
  async begin(): Promise<void> {
    await this.#tables.root.childTransaction(() => this.#tables.fleet.incoming.clearSync())
  }

  /** Keeps rows of the sum of another member. @throws AccessError `ACCESS_DAMAGED` for what are none */
  async keep(rows: readonly SumRow[]): Promise<void> {
    for (const [key, value] of rows) decodeUsage(value, parseUsageKey(key))
    await this.#tables.root.childTransaction(() => {
      for (const [key, value] of rows) this.#tables.fleet.incoming.putSync(key, value)
    })
  }

  /** Puts what was kept in place of the sum, within a transaction of the caller. */
  replaceSum(): void {
    const { usage, fleet } = this.#tables
    usage.clearSync()
    for (const { key, value } of fleet.incoming.getRange({})) {
      usage.putSync(Buffer.from(asBuffer(key)), Buffer.from(asBuffer(value)))
    }
    fleet.incoming.clearSync()
  }
}
