import { bytesToBigInt, EMPTY_BYTES } from '../../util/bytes.ts'
import { CodecError } from './errors.ts'
import { itemAt, parseRLPList } from './rlpReader.ts'
import { encodeBytes, encodeList, encodeUnsigned } from './rlpWriter.ts'

/** An event of a contract. */
export interface Log {
  /** 20 bytes. */
  readonly address: Buffer
  /** Up to four words of 32 bytes. */
  readonly topics: readonly Buffer[]
  readonly data: Buffer
}

/** Outcome of a transaction (consensus.md §5.6). */
export interface Receipt {
  readonly success: boolean
  /** Gas used so far in the block; with parallel execution, in the sublist. */
  readonly cumulativeGasUsed: bigint
  readonly gasUsed: bigint
  /** 256 bytes. */
  readonly logsBloom: Buffer
  readonly logs: readonly Log[]
}

const FIELDS = 6
const SUCCESS = Buffer.from([1])

/**
 * `[post state, cumulative gas, bloom, logs, gas used, status]`.
 * @param postState the outcome by default, as in every block
 */
export function encodeReceipt(receipt: Receipt, postState: Buffer = outcomeOf(receipt)): Buffer {
  return encodeList([
    encodeBytes(postState),
    encodeUnsigned(receipt.cumulativeGasUsed),
    encodeBytes(receipt.logsBloom),
    encodeLogs(receipt.logs),
    encodeUnsigned(receipt.gasUsed),
    encodeBytes(outcomeOf(receipt)),
  ])
}

/** RLP list of logs, as receipts have them: `[address, topics, data]` of each. */
export function encodeLogs(logs: readonly Log[]): Buffer {
  return encodeList(logs.map(encodeLog))
}

/** Receipt of its RLP. @throws RlpError, CodecError */
export function parseReceipt(rlp: Uint8Array): Receipt {
  const items = parseRLPList(rlp)
  if (items.length !== FIELDS)
    throw new CodecError('RECEIPT_SIZE', `${FIELDS} elements`, String(items.length))
  return {
    success: itemAt(items, 5).bytes.equals(SUCCESS),
    cumulativeGasUsed: bytesToBigInt(itemAt(items, 1).bytes),
    gasUsed: bytesToBigInt(itemAt(items, 4).bytes),
    logsBloom: itemAt(items, 2).bytes,
    logs: itemAt(items, 3).items.map((log) => ({
      address: itemAt(log.items, 0).bytes,
      topics: itemAt(log.items, 1).items.map((topic) => topic.bytes),
      data: itemAt(log.items, 2).bytes,
    })),
  }
}

function outcomeOf(receipt: Receipt): Buffer {
  return receipt.success ? SUCCESS : EMPTY_BYTES
}

function encodeLog(log: Log): Buffer {
  return encodeList([
    encodeBytes(log.address),
    encodeList(log.topics.map(encodeBytes)),
    encodeBytes(log.data),
  ])
}
