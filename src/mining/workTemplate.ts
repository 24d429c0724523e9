import { Block, parseBlock } from '../chain/codec/block.ts'
import type { NetworkSpec } from '../config/networkSpec.ts'

/** Largest template, bytes: above any block of the gas limits of today. */
export const LARGEST_TEMPLATE = 8 * 1024 * 1024

/** A block without proof of work, as nodes that hand out the same work tell one another. */
export interface WorkTemplate {
  readonly block: Block
  /** Whether miners should be notified of it. */
  readonly notify: boolean
}

const NOTIFY_AT = 0
const FORK_DATA_LENGTH_AT = 1
const FORK_DATA_AT = 2

/** The template as bytes: notify 1 ∥ length of the fork detection data 1 ∥ these ∥ RLP of the block. */
export function encodeTemplate({ block, notify }: WorkTemplate): Buffer {
  // It is in the coinbase of a sealed block, and in no RLP.
  const forkData = block.header.fields.forkDetectionData ?? Buffer.alloc(0)
  return Buffer.concat([Buffer.from([notify ? 1 : 0, forkData.length]), forkData, block.encoded])
}

/**
 * The template of its bytes, which another node sent.
 * @throws RlpError, CodecError; RangeError when it is cut off or too large
 */
export function parseTemplate(spec: NetworkSpec, bytes: Buffer): WorkTemplate {
  const blockAt = FORK_DATA_AT + (bytes[FORK_DATA_LENGTH_AT] ?? 0)
  if (bytes.length <= blockAt || bytes.length > LARGEST_TEMPLATE) {
    throw new RangeError(`a template of ${bytes.length} bytes`)
  }
  const { header, transactions, uncles } = parseBlock(spec, bytes.subarray(blockAt))
  const forkDetectionData = Buffer.from(bytes.subarray(FORK_DATA_AT, blockAt))
  return {
    block: new Block(header.with({ forkDetectionData }), transactions, uncles),
    notify: bytes[NOTIFY_AT] === 1,
  }
}
