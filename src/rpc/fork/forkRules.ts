/**
 * The rule that says who answers a request of a method on a fork. A trace is made here where the upstream has none; an
 * uncle is a block beside the branch.
 */
export type ForkRule =
  /** The upstream for blocks up to that of the fork; the block is the parameter of that index. */
  | { readonly kind: 'block'; readonly at: number; readonly isTrace?: true; readonly isUncle?: true }
  /** The upstream for states below that of the fork. */
  | { readonly kind: 'state'; readonly at: number; readonly isTrace?: true }
  /** The upstream for blocks that are not here; the hash is the first parameter. */
  | { readonly kind: 'blockHash'; readonly isTrace?: true; readonly isUncle?: true }
  /** The upstream for transactions that are not here. */
  | { readonly kind: 'transaction'; readonly isTrace?: true }
  /** Both for their parts of a range. */
  | { readonly kind: 'logs' }
  /** Nobody. */
  | { readonly kind: 'unknown'; readonly reason: string }

const BLOCK: ForkRule = { kind: 'block', at: 0 }
const BLOCK_HASH: ForkRule = { kind: 'blockHash' }
const TRANSACTION: ForkRule = { kind: 'transaction' }
const TRACE: ForkRule = { kind: 'transaction', isTrace: true }
const BLOCK_TRACE: ForkRule = { kind: 'block', at: 0, isTrace: true }
const state = (at: number): ForkRule => ({ kind: 'state', at })
const callTrace = (at: number): ForkRule => ({ kind: 'state', at, isTrace: true })
const unknown = (reason: string): ForkRule => ({ kind: 'unknown', reason })

const NO_TRIE = 'it does not have the state of its network, which only a proof of that network shows'
const NO_LIST = 'it knows accounts and cells of its network one by one, and cannot list them'

/** Methods that have a rule. All others answer of the chain above the fork alone. */
export const FORK_RULES: Readonly<Record<string, ForkRule>> = {
  anvil_dumpState: unknown(NO_LIST),
  debug_getRawBlock: BLOCK,
  debug_getRawHeader: BLOCK,
  debug_getRawReceipts: BLOCK,
  debug_getRawTransaction: TRANSACTION,
  debug_storageRangeAt: unknown(NO_LIST),
  debug_traceBlockByHash: { kind: 'blockHash', isTrace: true },
  debug_traceBlockByNumber: BLOCK_TRACE,
  debug_traceCall: callTrace(1),
  debug_traceTransaction: TRACE,
  eth_call: state(1),
  eth_createAccessList: state(1),
  eth_estimateGas: state(1),
  eth_getAccountInfo: state(1),
  eth_getBalance: state(1),
  eth_getBlockByHash: BLOCK_HASH,
  eth_getBlockByNumber: BLOCK,
  eth_getBlockReceipts: BLOCK,
  eth_getBlockTransactionCountByHash: BLOCK_HASH,
  eth_getBlockTransactionCountByNumber: BLOCK,
  eth_getCode: state(1),
  eth_getHeaderByHash: BLOCK_HASH,
  eth_getHeaderByNumber: BLOCK,
  eth_getLogs: { kind: 'logs' },
  eth_getProof: unknown(NO_TRIE),
  eth_getRawTransactionByBlockHashAndIndex: BLOCK_HASH,
  eth_getRawTransactionByBlockNumberAndIndex: BLOCK,
  eth_getRawTransactionByHash: TRANSACTION,
  eth_getStorageAt: state(2),
  eth_getTransactionByBlockHashAndIndex: BLOCK_HASH,
  eth_getTransactionByBlockNumberAndIndex: BLOCK,
  eth_getTransactionByHash: TRANSACTION,
  eth_getTransactionCount: state(1),
  eth_getTransactionReceipt: TRANSACTION,
  eth_getUncleByBlockHashAndIndex: { kind: 'blockHash', isUncle: true },
  eth_getUncleByBlockNumberAndIndex: { kind: 'block', at: 0, isUncle: true },
  eth_getUncleCountByBlockHash: BLOCK_HASH,
  eth_getUncleCountByBlockNumber: BLOCK,
  eth_simulateV1: state(1),
  rsk_getRawBlockHeaderByHash: BLOCK_HASH,
  rsk_getRawBlockHeaderByNumber: BLOCK,
  rsk_getRawTransactionReceiptByHash: TRANSACTION,
  rsk_getStorageBytesAt: state(2),
  rsk_getTransactionReceiptNodesByHash: TRANSACTION,
  trace_block: BLOCK_TRACE,
  trace_call: callTrace(2),
  trace_callMany: state(1),
  trace_get: TRACE,
  trace_replayBlockTransactions: BLOCK_TRACE,
  trace_replayTransaction: TRACE,
  trace_transaction: TRACE,
}
