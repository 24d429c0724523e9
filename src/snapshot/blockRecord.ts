import { itemAt, type RlpItem, readRlpItems } from '../chain/codec/rlpReader.ts'
import { encodeBytes, encodeList } from '../chain/codec/rlpWriter.ts'

/** A block in a chunk, in the encodings of the chain store. */
export interface BlockRecord {
  /** True when it is on the chain that ends with the block of the snapshot. */
  readonly canonical: boolean
  /** RLP of the full header. */
  readonly header: Buffer
  /** RLP `[transactions, uncles]`. */
  readonly body: Buffer
  /** RLP list of the receipts. */
  readonly receipts: Buffer
  /** Unitrie root after the block where the header names another and states are copied too; else empty. */
  readonly stateRoot: Buffer
}

const CANONICAL = Buffer.from([1])

/** RLP `[canonical, header, body, receipts, state root]`; chunks concatenate records. */
export function encodeBlockRecord(record: BlockRecord): Buffer {
  return encodeList([
    encodeBytes(record.canonical ? CANONICAL : null),
    encodeBytes(record.header),
    encodeBytes(record.body),
    encodeBytes(record.receipts),
    encodeBytes(record.stateRoot),
  ])
}

/** The records of a chunk. @throws RlpError */
export function* decodeBlockRecords(contents: Buffer): Generator<BlockRecord> {
  for (const record of readRlpItems(contents)) {
    const { items } = record
    yield {
      canonical: bytesOf(items, 0).equals(CANONICAL),
      header: bytesOf(items, 1),
      body: bytesOf(items, 2),
      receipts: bytesOf(items, 3),
      stateRoot: bytesOf(items, 4),
    }
  }
}

function bytesOf(items: readonly RlpItem[], index: number): Buffer {
  return itemAt(items, index).bytes
}
