/** @import { RpcClient } from './client.js' */

/**
 * The view that shows what has a hash, as it stands in addresses of the page; null for a hash of nothing here.
 * @param {RpcClient} client
 * @param {string} hash
 * @param {AbortSignal} [signal]
 * @returns {Promise<'tx' | 'block' | null>}
 */
export async function kindOfHash(client, hash, signal) {
  const [transaction, block] = await client
    .all(
      [
        { method: 'eth_getTransactionByHash', params: [hash] },
        { method: 'eth_getBlockByHash', params: [hash, false] },
      ],
      signal,
    )
    .catch(() => [null, null])
  if (transaction !== null) return 'tx'
  return block === null ? null : 'block'
}
