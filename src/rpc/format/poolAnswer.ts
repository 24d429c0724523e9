import type { PooledTransaction, PoolReader } from '../context.ts'
import type { Json } from '../json.ts'

/** Sender → nonce → transactions, as the `txpool_` methods answer it (rpc.md §3.11). */
export async function poolAnswer(
  pool: PoolReader,
  format: (entry: PooledTransaction) => Json,
): Promise<{ readonly [key: string]: Json }> {
  const [pending, queued] = await Promise.all([pool.pending(), pool.queued()])
  return { pending: group(pending, format), queued: group(queued, format) }
}

function group(
  entries: readonly PooledTransaction[],
  format: (entry: PooledTransaction) => Json,
): { readonly [key: string]: Json } {
  const senders = new Map<string, Map<string, Json[]>>()
  for (const entry of entries) {
    const sender = entry.sender.toString('hex')
    const nonces = senders.get(sender) ?? new Map<string, Json[]>()
    const nonce = String(entry.transaction.nonce)
    nonces.set(nonce, [...(nonces.get(nonce) ?? []), format(entry)])
    senders.set(sender, nonces)
  }
  return Object.fromEntries([...senders].map(([sender, nonces]) => [sender, Object.fromEntries(nonces)]))
}
