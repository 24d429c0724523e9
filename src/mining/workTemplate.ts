import { Block, parseBlock } from '../chain/codec/block.ts'
import type { NetworkSpec } from '../config/networkSpec.ts'

/** Largest template, bytes: above any block of the gas limits of today. */
export const MAX_TEMPLATE_BYTES = 8 * 1024 * 1024

const FORK_DATA_AT = 1

/**
 * A block without proof of work as nodes that hand out the same work exchange it: length of the fork detection data
 * 1 ∥ these ∥ RLP of the block.
 */
export function encodeTemplate(block: Block): Buffer {
  // It is in the coinbase of a sealed block, and in no RLP.
  const forkData = block.header.fields.forkDetectionData ?? Buffer.alloc(0)
  return Buffer.concat([Buffer.from([forkData.length]), forkData, block.encoded])
}

/**
 * The block of its bytes, which another node sent.
 * @throws RlpError, CodecError; RangeError when it is cut off or too large
 */
export function parseTemplate(spec: NetworkSpec, bytes: Buffer): Block {
  const blockAt = FORK_DATA_AT + (bytes[0] ?? 0)
  if (bytes.length <= blockAt || bytes.length > MAX_TEMPLATE_BYTES) {
    throw new RangeError(`a template of ${bytes.length} bytes`)
  }
  const { header, transactions, uncles } = parseBlock(spec, bytes.subarray(blockAt))
  const forkDetectionData = Buffer.from(bytes.subarray(FORK_DATA_AT, blockAt))
  return new Block(header.with({ forkDetectionData }), transactions, uncles)
}
