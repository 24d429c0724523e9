/** Methods of a specification or a node, by any of their names. */
export interface MethodSet {
  /** Heading in the README. */
  readonly title: string
  readonly names: ReadonlySet<string>
}

/** Methods that the specification marks as supported (`specification.md`). */
export const SPECIFIED: ReadonlySet<string> = toSet(`
  web3_clientVersion web3_sha3 net_version net_listening net_peerCount net_peerList eth_chainId
  eth_protocolVersion eth_syncing eth_coinbase eth_mining eth_hashrate eth_gasPrice eth_accounts
  eth_blockNumber eth_getBalance eth_getStorageAt eth_getTransactionCount
  eth_getBlockTransactionCountByHash eth_getBlockTransactionCountByNumber eth_getUncleCountByBlockHash
  eth_sign eth_sendTransaction eth_sendRawTransaction eth_call eth_estimateGas eth_getBlockByHash
  eth_getTransactionByHash eth_getTransactionByBlockHashAndIndex eth_getTransactionReceipt
  eth_pendingTransactions eth_getUncleByBlockHashAndIndex eth_newFilter eth_newBlockFilter
  eth_newPendingTransactionFilter eth_uninstallFilter eth_getFilterChanges eth_getFilterLogs
  eth_getLogs eth_getWork eth_submitWork eth_submitHashrate eth_getProof eth_subscribe eth_unsubscribe
  eth_bridgeState eth_netHashrate debug_traceTransaction debug_traceBlockByHash
  debug_wireProtocolQueueSize evm_increaseTime evm_mine evm_reset evm_revert evm_snapshot
  evm_startMining evm_stopMining mnr_submitBitcoinBlock mnr_submitBitcoinBlockTransactions
  mnr_submitBitcoinBlockPartialMerkle mnr_getWork personal_dumpRawKey personal_importRawKey
  personal_listAccounts personal_lockAccount personal_newAccountWithSeed personal_newAccount
  personal_sendTransaction personal_unlockAccount ext_getRawTransactionReceiptByHash
  ext_getTransactionReceiptNodesByHash ext_getRawBlockHeaderByHash ext_getRawBlockHeaderByNumber
  ext_protocolVersion trace_transaction trace_block trace_filter txpool_content txpool_inspect
  txpool_status sco_banAddress sco_unbanAddress sco_peerList sco_bannedAddresses sco_reputationSummary
`)

/** Methods that it marks as partially supported: without `pending`. */
export const PARTLY_SPECIFIED: ReadonlySet<string> = toSet(`
  eth_getUncleCountByBlockNumber eth_getCode eth_getBlockByNumber
  eth_getTransactionByBlockNumberAndIndex eth_getUncleByBlockNumberAndIndex
`)

/** Methods of other nodes that this one does not have, for the table. */
export const NOT_OFFERED: readonly string[] = [
  'eth_feeHistory',
  'eth_maxPriorityFeePerGas',
  'eth_blobBaseFee',
]

/** Methods of RSKj 9.1 with all of its modules enabled (rpc.md §3). */
export const RSKJ: MethodSet = {
  title: 'RSKj',
  names: toSet(`
  web3_clientVersion web3_sha3 net_version net_listening net_peerCount net_peerList rpc_modules
  eth_chainId eth_protocolVersion eth_syncing eth_coinbase eth_mining eth_hashrate eth_netHashrate
  eth_gasPrice eth_blockNumber eth_accounts eth_getBalance eth_getTransactionCount eth_getStorageAt
  eth_getCode eth_bridgeState eth_getBlocksByNumber eth_getBlockByHash eth_getBlockByNumber
  eth_getBlockTransactionCountByHash eth_getBlockTransactionCountByNumber eth_getUncleCountByBlockHash
  eth_getUncleCountByBlockNumber eth_getUncleByBlockHashAndIndex eth_getUncleByBlockNumberAndIndex
  eth_getTransactionByHash eth_getTransactionByBlockHashAndIndex
  eth_getTransactionByBlockNumberAndIndex eth_getTransactionReceipt eth_pendingTransactions
  eth_sendRawTransaction eth_sendTransaction eth_sign eth_call eth_estimateGas eth_getLogs
  eth_newFilter eth_newBlockFilter eth_newPendingTransactionFilter eth_getFilterChanges
  eth_getFilterLogs eth_uninstallFilter eth_subscribe eth_unsubscribe eth_getCompilers mnr_getWork
  mnr_submitBitcoinBlock mnr_submitBitcoinBlockTransactions mnr_submitBitcoinBlockPartialMerkle
  evm_snapshot evm_revert evm_reset evm_mine evm_startMining evm_stopMining evm_increaseTime
  personal_newAccountWithSeed personal_newAccount personal_importRawKey personal_dumpRawKey
  personal_listAccounts personal_lockAccount personal_unlockAccount personal_sendTransaction
  rsk_protocolVersion rsk_getRawTransactionReceiptByHash rsk_getTransactionReceiptNodesByHash
  rsk_getRawBlockHeaderByHash rsk_getRawBlockHeaderByNumber rsk_getStorageBytesAt txpool_content
  txpool_inspect txpool_status sco_banAddress sco_unbanAddress sco_bannedAddresses sco_peerList
  sco_reputationSummary sco_clearPeerScoring debug_wireProtocolQueueSize debug_accountTransactionQuota
  debug_traceTransaction debug_traceBlockByHash debug_traceBlockByNumber trace_transaction trace_block
  trace_filter trace_get
`),
}

/** Methods of geth 1.15.11: each was called, without valid parameters. */
export const GETH: MethodSet = {
  title: 'geth',
  names: toSet(`
  web3_clientVersion web3_sha3 net_version net_listening net_peerCount eth_chainId eth_syncing
  eth_gasPrice eth_maxPriorityFeePerGas eth_feeHistory eth_blobBaseFee eth_accounts eth_blockNumber
  eth_getBalance eth_getStorageAt eth_getTransactionCount eth_getCode eth_getProof eth_getBlockByHash
  eth_getBlockByNumber eth_getBlockTransactionCountByHash eth_getBlockTransactionCountByNumber
  eth_getUncleCountByBlockHash eth_getUncleCountByBlockNumber eth_getUncleByBlockHashAndIndex
  eth_getUncleByBlockNumberAndIndex eth_getTransactionByHash eth_getTransactionByBlockHashAndIndex
  eth_getTransactionByBlockNumberAndIndex eth_getTransactionReceipt eth_getBlockReceipts eth_call
  eth_estimateGas eth_createAccessList eth_simulateV1 eth_sendRawTransaction eth_sendTransaction
  eth_sign eth_signTransaction eth_pendingTransactions eth_getLogs eth_newFilter eth_newBlockFilter
  eth_newPendingTransactionFilter eth_getFilterChanges eth_getFilterLogs eth_uninstallFilter
  eth_subscribe eth_unsubscribe txpool_content txpool_inspect txpool_status debug_traceTransaction
  debug_traceBlockByHash debug_traceBlockByNumber debug_traceCall debug_getRawHeader debug_getRawBlock
  debug_getRawReceipts debug_getRawTransaction rpc_modules
`),
}

/** Methods of anvil 1.7.1: each was called, without valid parameters. */
export const ANVIL: MethodSet = {
  title: 'anvil',
  names: toSet(`
  web3_clientVersion web3_sha3 net_version net_listening eth_chainId eth_protocolVersion eth_syncing
  eth_coinbase eth_hashrate eth_gasPrice eth_accounts eth_blockNumber eth_getBalance eth_getStorageAt
  eth_getTransactionCount eth_getCode eth_getBlockByHash eth_getBlockByNumber
  eth_getBlockTransactionCountByHash eth_getBlockTransactionCountByNumber eth_getUncleCountByBlockHash
  eth_getUncleCountByBlockNumber eth_getUncleByBlockHashAndIndex eth_getUncleByBlockNumberAndIndex
  eth_getTransactionByHash eth_getTransactionByBlockHashAndIndex
  eth_getTransactionByBlockNumberAndIndex eth_getTransactionReceipt eth_call eth_estimateGas
  eth_sendRawTransaction eth_sendTransaction eth_sign eth_signTransaction eth_signTypedData_v4
  eth_getLogs eth_newFilter eth_newBlockFilter eth_newPendingTransactionFilter eth_getFilterChanges
  eth_getFilterLogs eth_uninstallFilter eth_getProof eth_createAccessList eth_getBlockReceipts
  txpool_content txpool_inspect txpool_status eth_getWork eth_submitWork eth_submitHashrate evm_mine
  hardhat_mine anvil_mine evm_snapshot anvil_snapshot evm_revert anvil_revert evm_increaseTime
  anvil_increaseTime evm_setNextBlockTimestamp anvil_setNextBlockTimestamp evm_setAutomine
  evm_setIntervalMining anvil_setIntervalMining anvil_getIntervalMining hardhat_getAutomine
  anvil_getAutomine
  hardhat_setBalance anvil_setBalance hardhat_setNonce anvil_setNonce hardhat_setCode anvil_setCode
  hardhat_setStorageAt anvil_setStorageAt hardhat_impersonateAccount anvil_impersonateAccount
  hardhat_stopImpersonatingAccount anvil_stopImpersonatingAccount debug_traceTransaction
  debug_traceBlockByHash debug_traceBlockByNumber debug_traceCall debug_getRawTransaction
  trace_transaction trace_block trace_filter eth_feeHistory eth_maxPriorityFeePerGas eth_blobBaseFee
  eth_fillTransaction trace_replayBlockTransactions personal_sign eth_simulateV1
  eth_getTransactionBySenderAndNonce eth_signTypedData eth_subscribe eth_unsubscribe
`),
}

function toSet(names: string): ReadonlySet<string> {
  return new Set(names.split(/\s+/).filter((name) => name !== ''))
}
