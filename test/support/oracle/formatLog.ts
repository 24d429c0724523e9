import type { Log } from '../../../src/chain/codec/receipt.ts'
import { quantity } from '../../../src/rpc/format/quantity.ts'
import type { Json } from '../../../src/rpc/json.ts'
import { toHex } from '../../../src/util/bytes.ts'

/** Where a log stands in the chain. */
export interface LogPosition {
  /** Position in the block. */
  readonly logIndex: number
  readonly blockNumber: number
  readonly blockHash: Buffer
  readonly transactionHash: Buffer
  readonly transactionIndex: number
}

/** Log object as receipts have it (rpc.md §3.4). */
export function formatLog(log: Log, place: LogPosition): { readonly [key: string]: Json } {
  return {
    logIndex: quantity(place.logIndex),
    blockNumber: quantity(place.blockNumber),
    blockHash: toHex(place.blockHash),
    transactionHash: toHex(place.transactionHash),
    transactionIndex: quantity(place.transactionIndex),
    address: toHex(log.address),
    data: toHex(log.data),
    topics: log.topics.map(toHex),
  }
}
