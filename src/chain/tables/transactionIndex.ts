import type { TableReader, TableWriter } from '../../storage/chainEnvironment.ts'

const ENTRY_LENGTH = 36

/** Position of a transaction in a connected block, canonical or not. */
export interface TransactionOccurrence {
  readonly blockHash: Buffer
  readonly index: number
}

/** All positions of a transaction, in the order in which the blocks were connected. */
export function readOccurrences(reader: TableReader, transactionHash: Buffer): TransactionOccurrence[] {
  const value = reader.get('transactions', transactionHash)
  if (value === undefined) return []
  return Array.from({ length: value.length / ENTRY_LENGTH }, (_, entry) => ({
    blockHash: value.subarray(entry * ENTRY_LENGTH, entry * ENTRY_LENGTH + 32),
    index: value.readUInt32BE(entry * ENTRY_LENGTH + 32),
  }))
}

/** Adds the transactions of a block, given by their hashes in block order. */
export function addOccurrences(
  writer: TableWriter,
  blockHash: Buffer,
  transactionHashes: readonly Buffer[],
): void {
  transactionHashes.forEach((transactionHash, index) => {
    addOccurrence(writer, transactionHash, blockHash, index)
  })
}

/** Removes the transactions of a block, given by their hashes, from the index. */
export function removeOccurrences(
  writer: TableWriter,
  blockHash: Buffer,
  transactionHashes: readonly Buffer[],
): void {
  for (const transactionHash of transactionHashes) {
    const rest = readOccurrences(writer, transactionHash).filter(
      (entry) => !entry.blockHash.equals(blockHash),
    )
    writer.remove('transactions', transactionHash)
    for (const { blockHash: other, index } of rest) addOccurrence(writer, transactionHash, other, index)
  }
}

function addOccurrence(writer: TableWriter, transactionHash: Buffer, blockHash: Buffer, index: number): void {
  const entry = Buffer.alloc(ENTRY_LENGTH)
  blockHash.copy(entry)
  entry.writeUInt32BE(index, 32)
  const others = writer.get('transactions', transactionHash)
  writer.put('transactions', transactionHash, others === undefined ? entry : Buffer.concat([others, entry]))
}
