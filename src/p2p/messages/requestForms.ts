import { itemAt } from '../../chain/codec/rlpReader.ts'
import { answeredBody, strings } from './bodies.ts'
import { hashOf, numberOf } from './fields.ts'

/** Questions (p2p.md §4). */
export const REQUEST_FORMS = {
  blockHashRequest: answeredBody(
    8,
    'blockHashRequest',
    ({ height }) => strings([height]),
    (params) => ({ height: numberOf(itemAt(params, 0)) }),
  ),
  blockHeadersRequest: answeredBody(
    9,
    'blockHeadersRequest',
    ({ hash, count }) => strings([hash, count]),
    (params) => ({ hash: hashOf(itemAt(params, 0)), count: numberOf(itemAt(params, 1)) }),
  ),
  blockRequest: answeredBody(
    11,
    'blockRequest',
    ({ hash }) => strings([hash]),
    (params) => ({ hash: hashOf(itemAt(params, 0)) }),
  ),
  bodyRequest: answeredBody(
    14,
    'bodyRequest',
    ({ hash }) => strings([hash]),
    (params) => ({ hash: hashOf(itemAt(params, 0)) }),
  ),
  skeletonRequest: answeredBody(
    16,
    'skeletonRequest',
    ({ startNumber }) => strings([startNumber]),
    (params) => ({ startNumber: numberOf(itemAt(params, 0)) }),
  ),
  snapStateChunkRequest: answeredBody(
    20,
    'snapStateChunkRequest',
    ({ blockNumber, from, chunkSize }) => strings([blockNumber, from, chunkSize]),
    (params) => ({
      blockNumber: numberOf(itemAt(params, 0)),
      from: numberOf(itemAt(params, 1)),
      chunkSize: numberOf(itemAt(params, 2)),
    }),
  ),
  snapStatusRequest: answeredBody(
    22,
    'snapStatusRequest',
    () => [],
    () => ({}),
  ),
  snapBlocksRequest: answeredBody(
    24,
    'snapBlocksRequest',
    ({ blockNumber }) => strings([blockNumber]),
    (params) => ({ blockNumber: numberOf(itemAt(params, 0)) }),
  ),
} as const
