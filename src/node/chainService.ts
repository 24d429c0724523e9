import { addressesOfSenders } from '../chain/chainReader.ts'
import type { ChainService, EncodedTransaction } from '../pool/chainLink.ts'
import type { SignedTransaction } from '../txpool/interface.ts'
import { asBuffer } from '../util/bytes.ts'
import type { ChainCore } from './chainCore.ts'

/** The chain's answers as they cross threads. */
export function createChainService(core: ChainCore): ChainService {
  const { pool } = core
  return {
    pendingTransaction: (hash) => {
      const found = pool.pendingByHash(asBuffer(hash).toString('hex'))
      return found === undefined ? null : encode(found)
    },
    nextNonce: (address) => pool.nonceAfterPending(asBuffer(address)),
    pendingTransactions: () => [...pool.pending()].map(encode),
    queuedTransactions: () => [...pool.queued()].map(encode),
    pendingBlock: () => {
      const { block, receipts } = core.pendingBlock()
      return {
        block: block.encoded,
        forkDetectionData: block.header.fields.forkDetectionData,
        senders: addressesOfSenders(block.senders),
        receipts,
      }
    },
    sendTransaction: (encoded) => core.sendTransaction(asBuffer(encoded)),
    mine: () => core.mine(),
  }
}

function encode({ transaction, sender }: SignedTransaction): EncodedTransaction {
  return { encoded: transaction.encoded, sender }
}
