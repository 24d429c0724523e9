import { randomBytes } from 'node:crypto'

const ID_BYTES = 16
const NUMBER_AT = 1
const ID = /^0x[1-9a-f][0-9a-f]{31}$/

/**
 * Id of a filter of a member (fleet.md §6): a random byte of at least 0x10, so that the text is a QUANTITY (decisions.md
 * D48), the number of the member in 2 bytes, 13 random bytes.
 * @param member its number, 1 to 65,535
 */
export function createFilterId(member: number): string {
  const bytes = randomBytes(ID_BYTES)
  bytes[0] = 0x10 + ((bytes[0] ?? 0) % 0xf0)
  bytes.writeUInt16BE(member, NUMBER_AT)
  return `0x${bytes.toString('hex')}`
}

/** The 16 bytes of an id; null for what is none. */
export function parseFilterId(id: string): Buffer | null {
  return ID.test(id) ? Buffer.from(id.slice(2), 'hex') : null
}

/** Text of an id. */
export function filterIdText(bytes: Buffer): string {
  return `0x${bytes.toString('hex')}`
}

/** Number of the member that made a filter. */
export function memberOfFilter(id: Buffer): number {
  return id.readUInt16BE(NUMBER_AT)
}
