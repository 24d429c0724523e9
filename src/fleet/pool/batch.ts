/** Largest batch, bytes: a transaction that is larger goes by p2p. */
export const MAX_BATCH_BYTES = 256 * 1024
/** Transactions of a batch. */
export const MAX_BATCH = 1024

const ID_LENGTH = 8
const NUMBER_LENGTH = 4
const LENGTH = 4

/** Transactions as a member tells them, and the number under which they are confirmed. */
export interface Batch {
  /** Id of the member. */
  readonly from: string
  readonly number: number
  readonly transactions: readonly Buffer[]
}

/** id of the member 8 ∥ number 4, then each transaction with its length 4. */
export function encodeBatch({ from, number, transactions }: Batch): Buffer {
  const head = Buffer.alloc(ID_LENGTH + NUMBER_LENGTH)
  head.write(from, 'hex')
  head.writeUInt32BE(number, ID_LENGTH)
  const parts = transactions.flatMap((transaction) => {
    const length = Buffer.alloc(LENGTH)
    length.writeUInt32BE(transaction.length)
    return [length, transaction]
  })
  return Buffer.concat([head, ...parts])
}

/** @throws RangeError when it does not parse */
export function decodeBatch(bytes: Buffer): Batch {
  const start = ID_LENGTH + NUMBER_LENGTH
  if (bytes.length < start || bytes.length > MAX_BATCH_BYTES + start + MAX_BATCH * LENGTH)
    throw new RangeError(`a batch of ${bytes.length} bytes`)
  const transactions: Buffer[] = []
  for (let at = start; at < bytes.length; ) {
    const from = at + LENGTH
    if (from > bytes.length || transactions.length === MAX_BATCH) throw new RangeError('a batch is cut off')
    at = from + bytes.readUInt32BE(at)
    if (at > bytes.length) throw new RangeError('a batch is cut off')
    transactions.push(bytes.subarray(from, at))
  }
  return { from: bytes.toString('hex', 0, ID_LENGTH), number: bytes.readUInt32BE(ID_LENGTH), transactions }
}

/** id of the member that confirms 8 ∥ number of the batch 4. */
export function encodeConfirmation(from: string, number: number): Buffer {
  const bytes = Buffer.alloc(ID_LENGTH + NUMBER_LENGTH)
  bytes.write(from, 'hex')
  bytes.writeUInt32BE(number, ID_LENGTH)
  return bytes
}

/** @throws RangeError when it does not parse */
export function decodeConfirmation(bytes: Buffer): { readonly from: string; readonly number: number } {
  if (bytes.length !== ID_LENGTH + NUMBER_LENGTH) throw new RangeError('a confirmation is malformed')
  return { from: bytes.toString('hex', 0, ID_LENGTH), number: bytes.readUInt32BE(ID_LENGTH) }
}

/** Transactions in batches, those left out that are too large. */
export function batchesOf(transactions: readonly Buffer[]): readonly (readonly Buffer[])[] {
  const batches: Buffer[][] = []
  let bytes = 0
  for (const transaction of transactions) {
    if (transaction.length > MAX_BATCH_BYTES) continue
    const last = batches.at(-1)
    if (last !== undefined && last.length < MAX_BATCH && bytes + transaction.length <= MAX_BATCH_BYTES) {
      last.push(transaction)
      bytes += transaction.length
    } else {
      batches.push([transaction])
      bytes = transaction.length
    }
  }
  return batches
}
