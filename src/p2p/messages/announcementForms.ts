import { itemAt } from '../../chain/codec/rlpReader.ts'
import { encodeBytes, encodeUnsigned } from '../../chain/codec/rlpWriter.ts'
import { encodeIdentifiers, encodeSignedDifficulty, identifierOf, MAX_BLOCKS, plainBody } from './bodies.ts'
import { blockOf, hashOf, numberOf, rawListsOf, signedDifficultyOf } from './fields.ts'

/** Transactions in one message: far more than fit in a block. */
export const MAX_TRANSACTIONS = 16_384

/** Elements of the old form of STATUS (p2p.md §4). */
const OLD_STATUS_FIELDS = 2

/** Messages that nobody waits for (p2p.md §4). */
export const ANNOUNCEMENT_FORMS = {
  status: plainBody(
    1,
    'status',
    ({ status }) => [
      encodeUnsigned(status.bestNumber),
      encodeBytes(status.bestHash),
      ...(status.bestParentHash === null || status.totalDifficulty === null
        ? []
        : [encodeBytes(status.bestParentHash), encodeSignedDifficulty(status.totalDifficulty)]),
    ],
    (items) => {
      const isOld = items.length === OLD_STATUS_FIELDS
      return {
        status: {
          bestNumber: numberOf(itemAt(items, 0)),
          bestHash: hashOf(itemAt(items, 1)),
          bestParentHash: isOld ? null : hashOf(itemAt(items, 2)),
          totalDifficulty: isOld ? null : signedDifficultyOf(itemAt(items, 3)),
        },
      }
    },
  ),
  block: plainBody(
    2,
    'block',
    ({ block }) => [encodeBytes(block)],
    (items) => ({ block: blockOf(itemAt(items, 0)) }),
  ),
  getBlock: plainBody(
    3,
    'getBlock',
    ({ hash }) => [encodeBytes(hash)],
    (items) => ({ hash: hashOf(itemAt(items, 0)) }),
  ),
  newBlockHashes: plainBody(
    6,
    'newBlockHashes',
    ({ blocks }) => encodeIdentifiers(blocks),
    (items) => ({ blocks: items.map(identifierOf) }),
    MAX_BLOCKS,
  ),
  transactions: plainBody(
    7,
    'transactions',
    ({ transactions }) => transactions,
    (items) => ({ transactions: rawListsOf(items) }),
    MAX_TRANSACTIONS,
  ),
  newBlockHash: plainBody(
    17,
    'newBlockHash',
    ({ hash }) => [encodeBytes(hash)],
    (items) => ({ hash: hashOf(itemAt(items, 0)) }),
  ),
} as const
