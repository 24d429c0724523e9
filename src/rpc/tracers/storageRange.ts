import { keccak256 } from '../../native/crypto.ts'
import { bigIntToFixedBytes, toHex } from '../../util/bytes.ts'
import type { StoredCell } from '../context.ts'

const WORD_BYTES = 32

/** A cell with the hash of its slot, by which cells are ordered (consensus.md §6.4). */
export interface RangedCell {
  /** DATA of 32 bytes. */
  readonly hash: string
  readonly slot: bigint
  /** DATA, 32 bytes unless the cell is wider. */
  readonly value: string
}

/** Pages of cells of an account, in the order of the trie. */
export type CellPages = (after: bigint | null) => readonly StoredCell[]

/**
 * The first cells whose slots hash to `start` or more.
 * @param pages of the state that the changes are made on; an empty page is the end
 * @param changes words by slots, DATA; a zero word deletes the cell
 * @param count most cells
 */
export function storageRange(
  pages: CellPages,
  changes: ReadonlyMap<bigint, string>,
  start: string,
  count: number,
): RangedCell[] {
  const found: RangedCell[] = []
  const add = (slot: bigint, value: string) => {
    const hash = toHex(keccak256(bigIntToFixedBytes(slot, WORD_BYTES)))
    if (hash >= start) found.push({ hash, slot, value })
  }
  for (
    let page = pages(null);
    page.length > 0 && found.length < count;
    page = pages(page.at(-1)?.slot ?? null)
  ) {
    for (const { slot, value } of page) if (!changes.has(slot)) add(slot, wordText(value))
  }
  for (const [slot, value] of changes) if (BigInt(value) !== 0n) add(slot, value)
  return found.sort((one, other) => (one.hash < other.hash ? -1 : 1)).slice(0, count)
}

/** Stored cells lack their leading zeros. */
function wordText(value: Buffer): string {
  return `0x${value.toString('hex').padStart(2 * WORD_BYTES, '0')}`
}
