import type {
  MinedBlockBytes,
  SimulatedBlockKey,
  SimulatedTransactionBytes,
} from '../../native/addon/index.d.ts'
import { addon } from './addon.ts'
import { native } from './errors.ts'

/**
 * The transaction object of an index of a block as JSON text; null when the block has no transaction there.
 * @throws NativeError `InvalidArgument` when it is not what the store keeps
 */
export function writeTransactionAt(block: MinedBlockBytes, index: number): Buffer | null {
  return native(() => addon.writeTransactionAt(block, index))
}

/**
 * Pending transactions as JSON objects with commas between.
 * @param transactions RLP list of them in canonical form
 * @param senders 20 bytes each; zeros for the reward transaction
 * @throws NativeError `InvalidArgument` for other bytes
 */
export function writePendingTransactions(transactions: Uint8Array, senders: Uint8Array): Buffer {
  return native(() => addon.writeTransactions(transactions, senders, null))
}

/** As {@link writePendingTransactions}: those of a simulated block, which nobody signed. */
export function writeSimulatedTransactions(
  block: SimulatedBlockKey,
  transactions: Uint8Array,
  senders: Uint8Array,
): Buffer {
  return native(() => addon.writeTransactions(transactions, senders, block))
}

/**
 * Logs of a simulated transaction as JSON objects with commas between.
 * @param logs RLP list of `[address, topics, data]`
 * @param firstLog index in the block of the first of them
 * @throws NativeError `InvalidArgument` for other bytes
 */
export function writeSimulatedLogs(
  transaction: SimulatedTransactionBytes,
  logs: Uint8Array,
  firstLog: number,
): Buffer {
  return native(() => addon.writeSimulatedLogs(transaction, logs, firstLog))
}
