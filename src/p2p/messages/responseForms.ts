import { itemAt, type RlpItem } from '../../chain/codec/rlpReader.ts'
import { encodeBytes, encodeList, encodeUnsigned } from '../../chain/codec/rlpWriter.ts'
import { MAX_TRANSACTIONS } from './announcementForms.ts'
import {
  answeredBody,
  difficultiesOf,
  encodeDifficulties,
  encodeFlag,
  encodeIdentifiers,
  identifierOf,
  MAX_BLOCKS,
  stringList,
  strings,
} from './bodies.ts'
import { boundElements, MAX_RECORD_ELEMENTS } from './elements.ts'
import { blockOf, blocksOf, hashOf, MAX_FIELDS, numberOf, rawLists, stringOf } from './fields.ts'
import type { BodyExtension } from './rskMessage.ts'

/** Uncles in one body: far more than a block may have. */
const MAX_UNCLES = 256

/** Answers (p2p.md §4). */
export const RESPONSE_FORMS = {
  blockHeadersResponse: answeredBody(
    10,
    'blockHeadersResponse',
    ({ headers }) => [encodeList(headers)],
    (params) => ({ headers: rawLists(itemAt(params, 0), MAX_BLOCKS) }),
  ),
  blockResponse: answeredBody(
    12,
    'blockResponse',
    ({ block }) => strings([block]),
    (params) => ({ block: blockOf(itemAt(params, 0)) }),
  ),
  skeletonResponse: answeredBody(
    13,
    'skeletonResponse',
    ({ blocks }) => [encodeList(encodeIdentifiers(blocks))],
    (params) => ({ blocks: itemAt(params, 0).itemsUpTo(MAX_BLOCKS).map(identifierOf) }),
  ),
  bodyResponse: answeredBody(
    15,
    'bodyResponse',
    ({ transactions, uncles, extension }) => [
      encodeList(transactions),
      encodeList(uncles),
      ...(extension === null
        ? []
        : [encodeList([encodeUnsigned(extension.version), encodeBytes(extension.data)])]),
    ],
    (params) => ({
      transactions: rawLists(itemAt(params, 0), MAX_TRANSACTIONS),
      uncles: rawLists(itemAt(params, 1), MAX_UNCLES),
      extension: extensionOf(params[2]),
    }),
  ),
  blockHashResponse: answeredBody(
    18,
    'blockHashResponse',
    ({ hash }) => strings([hash]),
    (params) => ({ hash: hashOf(itemAt(params, 0)) }),
  ),
  snapStateChunkResponse: answeredBody(
    21,
    'snapStateChunkResponse',
    ({ chunk, blockNumber, from, to, complete }) => [
      ...strings([chunk, blockNumber, from, to]),
      encodeFlag(complete),
    ],
    (params) => ({
      chunk: stringOf(itemAt(params, 0)),
      blockNumber: numberOf(itemAt(params, 1)),
      from: numberOf(itemAt(params, 2)),
      to: numberOf(itemAt(params, 3)),
      complete: numberOf(itemAt(params, 4)) !== 0,
    }),
  ),
  snapStatusResponse: answeredBody(
    23,
    'snapStatusResponse',
    ({ blocks, totalDifficulties, trieSize }) => [
      stringList(blocks),
      encodeDifficulties(totalDifficulties),
      encodeUnsigned(trieSize),
    ],
    (params) => ({
      blocks: blocksOf(itemAt(params, 0), MAX_BLOCKS),
      totalDifficulties: difficultiesOf(itemAt(params, 1)),
      trieSize: numberOf(itemAt(params, 2)),
    }),
  ),
  snapBlocksResponse: answeredBody(
    25,
    'snapBlocksResponse',
    ({ blocks, totalDifficulties }) => [stringList(blocks), encodeDifficulties(totalDifficulties)],
    (params) => ({
      blocks: blocksOf(itemAt(params, 0), MAX_BLOCKS),
      totalDifficulties: difficultiesOf(itemAt(params, 1)),
    }),
  ),
} as const

function extensionOf(item: RlpItem | undefined): BodyExtension | null {
  if (item === undefined) return null
  const fields = item.itemsUpTo(MAX_FIELDS)
  return {
    version: numberOf(itemAt(fields, 0)),
    data: boundElements(itemAt(fields, 1).bytes, MAX_RECORD_ELEMENTS),
  }
}
