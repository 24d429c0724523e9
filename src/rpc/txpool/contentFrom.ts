import type { SignedTransaction } from '../../txpool/interface.ts'
import { defineMethod } from '../defineMethod.ts'
import { formatPooled } from '../format/poolAnswer.ts'
import type { Json } from '../json.ts'
import { address } from '../params/hex.ts'

/** Transactions of one sender in the pool, each as txpool_content has it (decisions.md D50). */
export const contentFrom = defineMethod({
  name: 'txpool_contentFrom',
  doc: 'Transactions of one sender in the pool, by nonce.',
  params: [address()],
  result: { type: 'object' },
  lane: 'read',
  cost: 20,
  cache: 'none',
  handler: async ({ pool }, [sender]) => {
    const [pending, queued] = await Promise.all([pool.pending(), pool.queued()])
    return { pending: ofSender(pending, sender), queued: ofSender(queued, sender) }
  },
})

/** Nonce → transaction: a sender has no two of a nonce. */
function ofSender(entries: readonly SignedTransaction[], sender: Buffer): { readonly [nonce: string]: Json } {
  return Object.fromEntries(
    entries
      .filter((entry) => entry.sender.equals(sender))
      .map((entry) => [String(entry.transaction.nonce), formatPooled(entry)]),
  )
}
