import { fromHex } from '../../src/util/bytes.ts'
import { createChainContext } from '../support/chainContext.ts'
import { RecordedChain } from '../support/recordedChain.ts'
import type { ContextSource } from './run.ts'

/** Methods that only read blocks, receipts and indices. */
const CHAIN_METHODS: RegExp =
  /^(web3_|net_|eth_(chainId|protocolVersion|syncing|coinbase|mining|hashrate|gasPrice|blockNumber|getBlockBy|getBlockTransactionCount|getUncle|getTransactionBy|getTransactionReceipt|getLogs|compile|getCompilers|foo|blocknumber)|shh_|foo_)/

/** The recorded blocks themselves, without a state: what needs one is not replayed. */
export function createRecordedSource(lines: readonly unknown[]): ContextSource {
  const chain = new RecordedChain(lines)
  return {
    supports: (method) => CHAIN_METHODS.test(method),
    at: (head) => {
      const hash = fromHex(head)
      return chain.has(hash) ? createChainContext(chain.readerAt(hash)) : null
    },
  }
}
