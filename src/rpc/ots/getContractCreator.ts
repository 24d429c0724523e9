import { toHex } from '../../util/bytes.ts'
import { defineMethod } from '../defineMethod.ts'
import { address } from '../params/hex.ts'
import { effectiveCalls } from '../tracers/flatCall.ts'
import { traceTransactions } from '../tracers/traceBlock.ts'
import { firstBlockWith } from './firstBlockWith.ts'

/** The creator of a contract and its transaction; null where nobody did, as for code that a user set. */
export const getContractCreator = defineMethod({
  name: 'ots_getContractCreator',
  doc: 'Transaction by which a contract was created, and who created it.',
  params: [address()],
  result: { title: 'creator or null' },
  lane: 'trace',
  cost: 100,
  cache: 'none',
  audience: 'dev',
  handler: (context, [account]) => {
    const header = firstBlockWith(context, (state) => state.code(account).length > 0)
    const block = header === null ? null : context.chain.blockByHash(header.hash)
    if (block === null) return null
    const wanted = block.transactions.flatMap(({ isRemasc }, index) => (isRemasc ? [] : [index]))
    if (wanted.length === 0) return null
    const shown = toHex(account)
    for (const { index, texts } of traceTransactions(context, block, { tracer: 'flat' }, wanted)) {
      const creation = effectiveCalls(texts).find(
        ({ type, result }) => type === 'create' && result?.address === shown,
      )
      const transaction = block.transactions[index]
      if (creation !== undefined && transaction !== undefined) {
        return { hash: toHex(transaction.hash), creator: creation.action.from ?? null }
      }
    }
    return null
  },
})
