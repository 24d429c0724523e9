import type { SignedTransaction } from '../../chain/codec/transaction.ts'
import { decodeTransaction, type EncodedTransaction } from '../../txpool/encodedTransaction.ts'
import { bigIntToSignedBytes, toHex } from '../../util/bytes.ts'
import type { PoolReader } from '../context.ts'
import type { Json } from '../json.ts'
import { quantity, quantityOfBytes } from './quantity.ts'

const NO_BLOCK = `0x${'00'.repeat(32)}`
const NO_RECEIVER = '0x00'

/** Sender → nonce → transactions, as the `txpool_` methods answer it (rpc.md §3.11). */
export async function poolAnswer(
  pool: PoolReader,
  format: (entry: SignedTransaction) => Json,
): Promise<{ readonly [key: string]: Json }> {
  const [pending, queued] = await Promise.all([pool.pending(), pool.queued()])
  return { pending: group(pending, format), queued: group(queued, format) }
}

/**
 * A transaction as txpool_content has it (rpc.md §3.11): price and value are the bytes of the number with its sign, not
 * quantities.
 */
export function formatPooled({ transaction, sender }: SignedTransaction): { readonly [key: string]: Json } {
  const { fields } = transaction
  return {
    blockHash: NO_BLOCK,
    blockNumber: null,
    transactionIndex: null,
    from: toHex(sender),
    gas: quantityOfBytes(fields.gasLimitBytes),
    gasPrice: toHex(bigIntToSignedBytes(transaction.gasPrice)),
    hash: toHex(transaction.hash),
    input: toHex(fields.data),
    nonce: quantity(transaction.nonce),
    to: transaction.isCreation ? NO_RECEIVER : toHex(fields.to),
    value: toHex(bigIntToSignedBytes(fields.value)),
  }
}

function group(
  entries: readonly EncodedTransaction[],
  format: (entry: SignedTransaction) => Json,
): { readonly [key: string]: Json } {
  const senders = new Map<string, Map<string, Json[]>>()
  for (const encoded of entries) {
    const entry = decodeTransaction(encoded)
    const sender = entry.sender.toString('hex')
    const nonces = senders.get(sender) ?? new Map<string, Json[]>()
    const nonce = String(entry.transaction.nonce)
    nonces.set(nonce, [...(nonces.get(nonce) ?? []), format(entry)])
    senders.set(sender, nonces)
  }
  return Object.fromEntries([...senders].map(([sender, nonces]) => [sender, Object.fromEntries(nonces)]))
}
