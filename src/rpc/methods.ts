import { addPeer } from './admin/addPeer.ts'
import { adminNodeInfo } from './admin/nodeInfo.ts'
import { adminPeers } from './admin/peers.ts'
import { removePeer } from './admin/removePeer.ts'
import { addBalance } from './anvil/addBalance.ts'
import { autoImpersonateAccount } from './anvil/autoImpersonateAccount.ts'
import { dealErc20 } from './anvil/dealErc20.ts'
import { dropAllTransactions } from './anvil/dropAllTransactions.ts'
import { dumpState } from './anvil/dumpState.ts'
import { getIntervalSeconds } from './anvil/getIntervalSeconds.ts'
import { loadState } from './anvil/loadState.ts'
import { nodeInfo } from './anvil/nodeInfo.ts'
import { removeBlockTimestampInterval } from './anvil/removeBlockTimestampInterval.ts'
import { removePoolTransactions } from './anvil/removePoolTransactions.ts'
import { reorg } from './anvil/reorg.ts'
import { rollback } from './anvil/rollback.ts'
import { setBlockTimestampInterval } from './anvil/setBlockTimestampInterval.ts'
import { setErc20Allowance } from './anvil/setErc20Allowance.ts'
import { setIntervalSeconds } from './anvil/setIntervalSeconds.ts'
import { setRpcUrl } from './anvil/setRpcUrl.ts'
import { accountTransactionQuota } from './debug/accountTransactionQuota.ts'
import { getRawBlock } from './debug/getRawBlock.ts'
import { getRawHeader } from './debug/getRawHeader.ts'
import { getRawReceipts } from './debug/getRawReceipts.ts'
import { getRawTransaction } from './debug/getRawTransaction.ts'
import { storageRangeAt } from './debug/storageRangeAt.ts'
import { traceBlockByHash } from './debug/traceBlockByHash.ts'
import { traceBlockByNumber } from './debug/traceBlockByNumber.ts'
import { traceCall } from './debug/traceCall.ts'
import { traceTransaction } from './debug/traceTransaction.ts'
import { wireProtocolQueueSize } from './debug/wireProtocolQueueSize.ts'
import type { MethodDefinition } from './defineMethod.ts'
import { accounts } from './eth/accounts.ts'
import { blockNumber } from './eth/blockNumber.ts'
import { bridgeState } from './eth/bridgeState.ts'
import { call } from './eth/call.ts'
import { capabilities } from './eth/capabilities.ts'
import { chainId } from './eth/chainId.ts'
import { coinbase } from './eth/coinbase.ts'
import { createAccessList } from './eth/createAccessList.ts'
import { estimateGas } from './eth/estimateGas.ts'
import { gasPrice } from './eth/gasPrice.ts'
import { getAccountInfo } from './eth/getAccountInfo.ts'
import { getBalance } from './eth/getBalance.ts'
import { getBlockByHash } from './eth/getBlockByHash.ts'
import { getBlockByNumber } from './eth/getBlockByNumber.ts'
import { getBlockReceipts } from './eth/getBlockReceipts.ts'
import { getBlocksByNumber } from './eth/getBlocksByNumber.ts'
import { getBlockTransactionCountByHash } from './eth/getBlockTransactionCountByHash.ts'
import { getBlockTransactionCountByNumber } from './eth/getBlockTransactionCountByNumber.ts'
import { getCode } from './eth/getCode.ts'
import { getFilterChanges } from './eth/getFilterChanges.ts'
import { getFilterLogs } from './eth/getFilterLogs.ts'
import { getHeaderByHash } from './eth/getHeaderByHash.ts'
import { getHeaderByNumber } from './eth/getHeaderByNumber.ts'
import { getLogs } from './eth/getLogs.ts'
import { getProof } from './eth/getProof.ts'
import { getRawTransactionByBlockHashAndIndex } from './eth/getRawTransactionByBlockHashAndIndex.ts'
import { getRawTransactionByBlockNumberAndIndex } from './eth/getRawTransactionByBlockNumberAndIndex.ts'
import { getRawTransactionByHash } from './eth/getRawTransactionByHash.ts'
import { getStorageAt } from './eth/getStorageAt.ts'
import { getTransactionByBlockHashAndIndex } from './eth/getTransactionByBlockHashAndIndex.ts'
import { getTransactionByBlockNumberAndIndex } from './eth/getTransactionByBlockNumberAndIndex.ts'
import { getTransactionByHash } from './eth/getTransactionByHash.ts'
import { getTransactionCount } from './eth/getTransactionCount.ts'
import { getTransactionReceipt } from './eth/getTransactionReceipt.ts'
import { getUncleByBlockHashAndIndex } from './eth/getUncleByBlockHashAndIndex.ts'
import { getUncleByBlockNumberAndIndex } from './eth/getUncleByBlockNumberAndIndex.ts'
import { getUncleCountByBlockHash } from './eth/getUncleCountByBlockHash.ts'
import { getUncleCountByBlockNumber } from './eth/getUncleCountByBlockNumber.ts'
import { getTemplateWork } from './eth/getWork.ts'
import { hashrate } from './eth/hashrate.ts'
import { mining } from './eth/mining.ts'
import { netHashrate } from './eth/netHashrate.ts'
import { newBlockFilter } from './eth/newBlockFilter.ts'
import { newFilter } from './eth/newFilter.ts'
import { newPendingTransactionFilter } from './eth/newPendingTransactionFilter.ts'
import { pendingTransactions } from './eth/pendingTransactions.ts'
import { protocolVersion } from './eth/protocolVersion.ts'
import { sendRawTransaction } from './eth/sendRawTransaction.ts'
import { sendRawTransactionSync } from './eth/sendRawTransactionSync.ts'
import { sendTransaction } from './eth/sendTransaction.ts'
import { sendUnsignedTransaction } from './eth/sendUnsignedTransaction.ts'
import { sign } from './eth/sign.ts'
import { signTransaction } from './eth/signTransaction.ts'
import { signTypedData } from './eth/signTypedData.ts'
import { signTypedDataV3 } from './eth/signTypedDataV3.ts'
import { signTypedDataV4 } from './eth/signTypedDataV4.ts'
import { simulateV1 } from './eth/simulateV1.ts'
import { submitHashrate } from './eth/submitHashrate.ts'
import { submitWork } from './eth/submitWork.ts'
import { subscribe } from './eth/subscribe.ts'
import { syncing } from './eth/syncing.ts'
import { uninstallFilter } from './eth/uninstallFilter.ts'
import { unsubscribe } from './eth/unsubscribe.ts'
import { getFailedCalls } from './evm/getFailedCalls.ts'
import { getProjectArtifacts } from './evm/getProjectArtifacts.ts'
import { importRawBlock } from './evm/importRawBlock.ts'
import { increaseTime } from './evm/increaseTime.ts'
import { mine } from './evm/mine.ts'
import { MINER_SWITCH } from './evm/minerSwitch.ts'
import { reset } from './evm/reset.ts'
import { revert } from './evm/revert.ts'
import { setAutomine } from './evm/setAutomine.ts'
import { setBlockGasLimit } from './evm/setBlockGasLimit.ts'
import { setIntervalMining } from './evm/setIntervalMining.ts'
import { setNextBlockTimestamp } from './evm/setNextBlockTimestamp.ts'
import { setTime } from './evm/setTime.ts'
import { snapshot } from './evm/snapshot.ts'
import { startMining } from './evm/startMining.ts'
import { stopMining } from './evm/stopMining.ts'
import { dropTransaction } from './hardhat/dropTransaction.ts'
import { getAutomine } from './hardhat/getAutomine.ts'
import { impersonateAccount } from './hardhat/impersonateAccount.ts'
import { metadata } from './hardhat/metadata.ts'
import { mineBlocks } from './hardhat/mineBlocks.ts'
import { resetChain } from './hardhat/resetChain.ts'
import { setBalance } from './hardhat/setBalance.ts'
import { setCode } from './hardhat/setCode.ts'
import { setCoinbase } from './hardhat/setCoinbase.ts'
import { setMinGasPrice } from './hardhat/setMinGasPrice.ts'
import { setNonce } from './hardhat/setNonce.ts'
import { setStorageAt } from './hardhat/setStorageAt.ts'
import { stopImpersonatingAccount } from './hardhat/stopImpersonatingAccount.ts'
import { METHODS_WITHOUT_MEANING } from './hardhat/withoutMeaning.ts'
import { logsPage } from './internal/logsPage.ts'
import { minedHashrate } from './internal/minedHashrate.ts'
import { getWork } from './mnr/getWork.ts'
import { submitBitcoinBlock } from './mnr/submitBitcoinBlock.ts'
import { submitBitcoinBlockPartialMerkle } from './mnr/submitBitcoinBlockPartialMerkle.ts'
import { submitBitcoinBlockTransactions } from './mnr/submitBitcoinBlockTransactions.ts'
import { listening } from './net/listening.ts'
import { peerCount } from './net/peerCount.ts'
import { peerList } from './net/peerList.ts'
import { version } from './net/version.ts'
import { erigonHeaderByNumber } from './ots/erigonHeaderByNumber.ts'
import { getApiLevel } from './ots/getApiLevel.ts'
import { getBlockDetails } from './ots/getBlockDetails.ts'
import { getBlockDetailsByHash } from './ots/getBlockDetailsByHash.ts'
import { getBlockTransactions } from './ots/getBlockTransactions.ts'
import { getContractCreator } from './ots/getContractCreator.ts'
import { getInternalOperations } from './ots/getInternalOperations.ts'
import { getTransactionBySenderAndNonce } from './ots/getTransactionBySenderAndNonce.ts'
import { getTransactionError } from './ots/getTransactionError.ts'
import { hasCode } from './ots/hasCode.ts'
import { searchTransactionsAfter } from './ots/searchTransactionsAfter.ts'
import { searchTransactionsBefore } from './ots/searchTransactionsBefore.ts'
import { traceTransaction as otsTraceTransaction } from './ots/traceTransaction.ts'
import { dumpRawKey } from './personal/dumpRawKey.ts'
import { importRawKey } from './personal/importRawKey.ts'
import { listAccounts } from './personal/listAccounts.ts'
import { lockAccount } from './personal/lockAccount.ts'
import { newAccount } from './personal/newAccount.ts'
import { newAccountWithSeed } from './personal/newAccountWithSeed.ts'
import { sendTransaction as sendPersonalTransaction } from './personal/sendTransaction.ts'
import { sign as signPersonally } from './personal/sign.ts'
import { unlockAccount } from './personal/unlockAccount.ts'
import { defineDiscover } from './rpc/discover.ts'
import { defineModules } from './rpc/modules.ts'
import { getBridgeStatus } from './rsk/getBridgeStatus.ts'
import { getFleetStatus } from './rsk/getFleetStatus.ts'
import { getPeerStatus } from './rsk/getPeerStatus.ts'
import { getRawBlockHeaderByHash } from './rsk/getRawBlockHeaderByHash.ts'
import { getRawBlockHeaderByNumber } from './rsk/getRawBlockHeaderByNumber.ts'
import { getRawTransactionReceiptByHash } from './rsk/getRawTransactionReceiptByHash.ts'
import { getStorageBytesAt } from './rsk/getStorageBytesAt.ts'
import { getTransactionReceiptNodesByHash } from './rsk/getTransactionReceiptNodesByHash.ts'
import { banAddress } from './sco/banAddress.ts'
import { bannedAddresses } from './sco/bannedAddresses.ts'
import { clearPeerScoring } from './sco/clearPeerScoring.ts'
import { peerScores } from './sco/peerList.ts'
import { reputationSummary } from './sco/reputationSummary.ts'
import { unbanAddress } from './sco/unbanAddress.ts'
import { block as traceBlock } from './trace/block.ts'
import { call as traceFlatCall } from './trace/call.ts'
import { callMany as traceCallMany } from './trace/callMany.ts'
import { filter as traceFilter } from './trace/filter.ts'
import { get as traceGet } from './trace/get.ts'
import { replayBlockTransactions } from './trace/replayBlockTransactions.ts'
import { replayTransaction } from './trace/replayTransaction.ts'
import { transaction as traceFlatTransaction } from './trace/transaction.ts'
import { content as txpoolContent } from './txpool/content.ts'
import { contentFrom as txpoolContentFrom } from './txpool/contentFrom.ts'
import { inspect as txpoolInspect } from './txpool/inspect.ts'
import { status as txpoolStatus } from './txpool/status.ts'
import { clientVersion } from './web3/clientVersion.ts'
import { sha3 } from './web3/sha3.ts'

/**
 * Every method of the node. The router, the workers, the OpenRPC document and the README's table are
 * made from it. A method's index is its number in messages to workers, so both sides must have the same
 * list: it is one list in one process.
 */
export const METHODS: readonly MethodDefinition[] = [
  clientVersion,
  sha3,
  version,
  listening,
  peerCount,
  peerList,
  chainId,
  protocolVersion,
  syncing,
  coinbase,
  mining,
  hashrate,
  gasPrice,
  accounts,
  blockNumber,
  getAccountInfo,
  getBalance,
  getStorageAt,
  getTransactionCount,
  getCode,
  getBlockByHash,
  getBlockByNumber,
  getHeaderByHash,
  getHeaderByNumber,
  getBlockTransactionCountByHash,
  getBlockTransactionCountByNumber,
  getUncleCountByBlockHash,
  getUncleCountByBlockNumber,
  getUncleByBlockHashAndIndex,
  getUncleByBlockNumberAndIndex,
  getTransactionByHash,
  getTransactionByBlockHashAndIndex,
  getTransactionByBlockNumberAndIndex,
  getRawTransactionByHash,
  getRawTransactionByBlockHashAndIndex,
  getRawTransactionByBlockNumberAndIndex,
  getTransactionReceipt,
  call,
  capabilities,
  estimateGas,
  sendRawTransaction,
  sendRawTransactionSync,
  sendTransaction,
  sendUnsignedTransaction,
  sign,
  signTransaction,
  signTypedData,
  signTypedDataV3,
  signTypedDataV4,
  getLogs,
  newFilter,
  newBlockFilter,
  newPendingTransactionFilter,
  getFilterChanges,
  getFilterLogs,
  uninstallFilter,
  subscribe,
  unsubscribe,
  logsPage,
  minedHashrate,
  getProof,
  bridgeState,
  createAccessList,
  simulateV1,
  getBlockReceipts,
  getBlocksByNumber,
  netHashrate,
  pendingTransactions,
  getBridgeStatus,
  getFleetStatus,
  getPeerStatus,
  getRawBlockHeaderByHash,
  getRawBlockHeaderByNumber,
  getRawTransactionReceiptByHash,
  getStorageBytesAt,
  getTransactionReceiptNodesByHash,
  txpoolContent,
  txpoolContentFrom,
  txpoolInspect,
  txpoolStatus,
  getTemplateWork,
  submitWork,
  submitHashrate,
  getWork,
  submitBitcoinBlock,
  submitBitcoinBlockTransactions,
  submitBitcoinBlockPartialMerkle,
  mine,
  mineBlocks,
  snapshot,
  revert,
  reset,
  increaseTime,
  setNextBlockTimestamp,
  setTime,
  setAutomine,
  getAutomine,
  setIntervalMining,
  setIntervalSeconds,
  getIntervalSeconds,
  startMining,
  stopMining,
  setBalance,
  setNonce,
  setCode,
  setStorageAt,
  impersonateAccount,
  importRawBlock,
  stopImpersonatingAccount,
  autoImpersonateAccount,
  addBalance,
  resetChain,
  dropTransaction,
  dropAllTransactions,
  removePoolTransactions,
  setCoinbase,
  setMinGasPrice,
  setBlockGasLimit,
  setBlockTimestampInterval,
  removeBlockTimestampInterval,
  reorg,
  rollback,
  dealErc20,
  setErc20Allowance,
  metadata,
  nodeInfo,
  setRpcUrl,
  getProjectArtifacts,
  getFailedCalls,
  dumpState,
  loadState,
  ...METHODS_WITHOUT_MEANING,
  ...MINER_SWITCH,
  erigonHeaderByNumber,
  getApiLevel,
  getBlockDetails,
  getBlockDetailsByHash,
  getBlockTransactions,
  getContractCreator,
  getInternalOperations,
  getTransactionBySenderAndNonce,
  getTransactionError,
  hasCode,
  searchTransactionsAfter,
  searchTransactionsBefore,
  otsTraceTransaction,
  banAddress,
  unbanAddress,
  bannedAddresses,
  peerScores,
  addPeer,
  removePeer,
  adminPeers,
  adminNodeInfo,
  reputationSummary,
  clearPeerScoring,
  defineModules(() => METHODS),
  defineDiscover(() => METHODS),
  newAccount,
  newAccountWithSeed,
  importRawKey,
  dumpRawKey,
  listAccounts,
  lockAccount,
  unlockAccount,
  sendPersonalTransaction,
  signPersonally,
  traceTransaction,
  traceBlockByHash,
  traceBlockByNumber,
  traceCall,
  storageRangeAt,
  wireProtocolQueueSize,
  getRawHeader,
  accountTransactionQuota,
  getRawBlock,
  getRawTransaction,
  getRawReceipts,
  traceFlatTransaction,
  traceBlock,
  traceFilter,
  traceGet,
  traceFlatCall,
  traceCallMany,
  replayTransaction,
  replayBlockTransactions,
]

/**
 * Methods that the specification lists as unsupported: they answer `the method <name> does not exist/is
 * not available` (decisions.md D46), `shh_` and `db_` wholly; so do those that the reference has and keeps closed
 * (decisions.md D51).
 */
export const UNSUPPORTED_METHODS: ReadonlySet<string> = new Set([
  'eth_getCompilers',
  'eth_compileLLL',
  'eth_compileSolidity',
  'eth_compileSerpent',
  'db_putString',
  'db_getString',
  'db_putHex',
  'db_getHex',
  'shh_post',
  'shh_version',
  'shh_newIdentity',
  'shh_hasIdentity',
  'shh_newGroup',
  'shh_addToGroup',
  'shh_newFilter',
  'shh_uninstallFilter',
  'shh_getFilterChanges',
  'shh_getMessages',
  'rsk_flush',
  'rsk_shutdown',
])
