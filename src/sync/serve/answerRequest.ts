import type { BlockReference } from '../../chain/tables/blockKey.ts'
import { MAX_RANGE_BLOCKS, MAX_RANGE_BYTES } from '../../p2p/messages/rangeForms.ts'
import type {
  BlockIdentifier,
  PeerMessage,
  PeerRequest,
  PeerResponse,
} from '../../p2p/messages/rskMessage.ts'
import { type ServedChain, StoredBlocks } from './storedBlocks.ts'

type MessageOf<T extends PeerMessage['type']> = Extract<PeerMessage, { type: T }>

/** Requests about snapshots, which are answered by `snapAnswers.ts`. */
export type SnapRequest = MessageOf<'snapStateChunkRequest' | 'snapStatusRequest' | 'snapBlocksRequest'>

/** Requests about blocks. GET_BLOCK is one, although it has no id. */
export type ChainRequest = Exclude<PeerRequest, SnapRequest> | MessageOf<'getBlock'>

/** Most headers of one response, and blocks between two entries of a skeleton (p2p.md §4 Limits). */
export const HEADERS_PER_REQUEST = 192

/** Most steps of one skeleton (p2p.md §4 Limits). */
const SKELETON_STEPS = 20

/**
 * The reference's response to a request about blocks; null where it does not respond (p2p.md §4, §5).
 * @throws StorageError, CodecError when the store is damaged
 */
export function answerRequest(
  chain: ServedChain,
  request: ChainRequest,
): PeerResponse | MessageOf<'block'> | null {
  const blocks = new StoredBlocks(chain)
  switch (request.type) {
    case 'getBlock': {
      const block = encodedBlock(blocks, request.hash)
      return block && { type: 'block', block }
    }
    case 'blockRequest': {
      const block = encodedBlock(blocks, request.hash)
      return block && { type: 'blockResponse', id: request.id, block }
    }
    case 'blockHashRequest': {
      const found = isHeight(request.height) && request.height > 0 ? blocks.at(request.height) : null
      return found && { type: 'blockHashResponse', id: request.id, hash: found.hash }
    }
    case 'blockHeadersRequest': {
      if (request.count > HEADERS_PER_REQUEST) return null
      const headers = compressedHeaders(blocks, request.hash, Math.max(1, request.count))
      return headers.length === 0 ? null : { type: 'blockHeadersResponse', id: request.id, headers }
    }
    case 'bodyRequest': {
      const found = blocks.find(request.hash)
      const body = found && blocks.body(found)
      return body && { type: 'bodyResponse', id: request.id, ...body }
    }
    case 'skeletonRequest': {
      const found = skeleton(blocks, request.startNumber)
      return found && { type: 'skeletonResponse', id: request.id, blocks: found }
    }
    case 'blockRangeRequest': {
      const found = blocks.find(request.hash)
      const range = found === null ? [] : blockRange(blocks, found, request.count)
      return range.length === 0 ? null : { type: 'blockRangeResponse', id: request.id, blocks: range }
    }
  }
}

/** Whole blocks, ascending, up to a given one, within a number of bytes; at least one if it is stored. */
export function blocksUpTo(
  blocks: StoredBlocks,
  last: BlockReference,
  count: number,
  maxBytes: number,
): { readonly reference: BlockReference; readonly encoded: Buffer }[] {
  const found: { reference: BlockReference; encoded: Buffer }[] = []
  let bytes = 0
  for (let block: BlockReference | null = last; block !== null && found.length < count; ) {
    bytes += blocks.encodedLength(block)
    if (bytes > maxBytes && found.length > 0) break
    const encoded = blocks.encoded(block)
    if (encoded === null) break
    found.push({ reference: block, encoded })
    block = blocks.parentOf(block)
  }
  return found.reverse()
}

function blockRange(blocks: StoredBlocks, last: BlockReference, count: number): Buffer[] {
  const most = Math.min(Math.max(1, count), MAX_RANGE_BLOCKS)
  return blocksUpTo(blocks, last, most, MAX_RANGE_BYTES).map(({ encoded }) => encoded)
}

function encodedBlock(blocks: StoredBlocks, hash: Buffer): Buffer | null {
  const found = blocks.find(hash)
  return found && blocks.encoded(found)
}

/** Headers in descending order from one, as far as they are kept. */
function compressedHeaders(blocks: StoredBlocks, hash: Buffer, count: number): Buffer[] {
  const headers: Buffer[] = []
  for (let block = blocks.find(hash); block !== null && headers.length < count; ) {
    const header = blocks.compressedHeader(block)
    if (header === null) break
    headers.push(header)
    block = headers.length < count ? blocks.parentOf(block) : null
  }
  return headers
}

/**
 * The skeleton from the step at or below a height on, and the best block, or the next step, as last (p2p.md
 * §5).
 */
function skeleton(blocks: StoredBlocks, start: number): BlockIdentifier[] | null {
  if (!isHeight(start) || blocks.at(start) === null) return null
  const best = blocks.best().number
  const first = Math.floor(start / HEADERS_PER_REQUEST) * HEADERS_PER_REQUEST
  const end = Math.min(best, first + HEADERS_PER_REQUEST * SKELETON_STEPS)
  const numbers: number[] = []
  let next = first
  for (; next < end; next += HEADERS_PER_REQUEST) numbers.push(next)
  numbers.push(Math.min(best, next))
  const found = numbers.map((number) => blocks.at(number))
  // A node that started from a snapshot does not have the lower ones.
  return found.every((block) => block !== null) ? found : null
}

/** True when a number of a peer is a valid a height. */
export function isHeight(number: number): boolean {
  return Number.isSafeInteger(number) && number >= 0
}
