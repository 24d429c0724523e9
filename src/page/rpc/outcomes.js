/** @import { Context, Outcome, Receipt, Transaction } from '../types.js' */

/**
 * How transactions of a list ended, by their hash; those that nobody can say of are left out. Asks for one receipt
 * each, so lists are bounded.
 * @param {Context} context
 * @param {readonly Transaction[]} transactions
 * @param {AbortSignal} signal
 * @param {Map<string, Outcome>} [known] what was found before, by hash and block; what is found is added
 * @returns {Promise<ReadonlyMap<string, Outcome>>}
 */
export async function outcomesOf({ client, methods }, transactions, signal, known = new Map()) {
  // A reorganisation may put the same transaction into another block, where it may end differently.
  const id = (/** @type {Transaction} */ { hash, blockHash }) => `${hash}${blockHash}`
  const asked = transactions.filter((one) => one.blockHash !== null && !known.has(id(one)))
  if (methods.has('eth_getTransactionReceipt')) {
    const calls = asked.map(({ hash }) => ({ method: 'eth_getTransactionReceipt', params: [hash] }))
    const settled = await client.attempt(calls, signal)
    for (const [index, one] of settled.entries()) {
      const transaction = asked[index]
      if (transaction === undefined || one.status === 'rejected' || one.value === null) continue
      known.set(id(transaction), outcomeOf(one.value))
    }
  }
  return new Map(
    transactions.flatMap((one) => {
      const outcome = one.blockHash === null ? 'waiting' : known.get(id(one))
      return outcome === undefined ? [] : [[one.hash, outcome]]
    }),
  )
}

/**
 * How the transactions of one block ended, by their hash, in one request.
 * @param {Context} context
 * @param {string} blockHash
 * @param {AbortSignal} signal
 * @returns {Promise<ReadonlyMap<string, Outcome>>} empty where that is not open or not to be had
 */
export async function outcomesOfBlock({ client, methods }, blockHash, signal) {
  if (!methods.has('eth_getBlockReceipts')) return new Map()
  const [settled] = await client.attempt([{ method: 'eth_getBlockReceipts', params: [blockHash] }], signal)
  /** @type {readonly (Receipt & { transactionHash: string })[]} */
  const receipts = settled?.status === 'fulfilled' ? (settled.value ?? []) : []
  return new Map(receipts.map((receipt) => [receipt.transactionHash, outcomeOf(receipt)]))
}

/** @param {Receipt} receipt @returns {Outcome} */
function outcomeOf({ status }) {
  return status === '0x1' ? 'success' : 'failed'
}
