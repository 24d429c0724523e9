import { itemAt } from '../../chain/codec/rlpReader.ts'
import { answeredBody, stringList, strings } from './bodies.ts'
import { blocksOf, hashOf, numberOf } from './fields.ts'

/** Blocks of one range (p2p.md §11). */
export const MAX_RANGE_BLOCKS = 1024

/** Bytes of the blocks of one range (p2p.md §11). */
export const MAX_RANGE_BYTES: number = 4 << 20

/** Messages of the capability `rhizome`/1 (p2p.md §11). */
export const RANGE_FORMS = {
  blockRangeRequest: answeredBody(
    1,
    'blockRangeRequest',
    ({ hash, count }) => strings([hash, count]),
    (params) => ({ hash: hashOf(itemAt(params, 0)), count: numberOf(itemAt(params, 1)) }),
  ),
  blockRangeResponse: answeredBody(
    2,
    'blockRangeResponse',
    ({ blocks }) => [stringList(blocks)],
    (params) => ({ blocks: blocksOf(itemAt(params, 0), MAX_RANGE_BLOCKS) }),
  ),
} as const
