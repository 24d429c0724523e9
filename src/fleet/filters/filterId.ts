import { randomBytes } from 'node:crypto'
import type { MemberId } from '../interface.ts'

const RANDOM_BYTES = 7
const MEMBER_AT = 4
const MEMBER_DIGITS = 16
const FILTER_ID = /^0x[1-9a-f][0-9a-f]{31}$/

/**
 * Id of a filter of a member (fleet.md §8): a random byte of at least 0x10, so that the text is a QUANTITY (decisions.md
 * D48), the id of the member in 8 bytes, 7 random bytes.
 */
export function createFilterId(member: MemberId): string {
  const [first = 0, ...others] = randomBytes(1 + RANDOM_BYTES)
  const begin = (0x10 + (first % 0xf0)).toString(16)
  return `0x${begin}${member}${Buffer.from(others).toString('hex')}`
}

/** The member that made a filter; null for what is no id of a filter. */
export function memberOfFilter(id: string): MemberId | null {
  return FILTER_ID.test(id) ? id.slice(MEMBER_AT, MEMBER_AT + MEMBER_DIGITS) : null
}
