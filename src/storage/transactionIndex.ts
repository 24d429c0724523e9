import type { TableReader, TableWriter } from './chainEnvironment.ts'

const ENTRY_LENGTH = 36

/** Where a connected block, canonical or not, has a transaction. */
export interface TransactionOccurrence {
  readonly blockHash: Buffer
  readonly index: number
}

/** Every place of a transaction, in the order in which the blocks were connected. */
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

/** Takes the transactions of a block, given by their hashes, out of the index. */
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
