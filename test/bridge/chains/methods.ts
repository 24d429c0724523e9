import { AbiCoder, id } from 'ethers'

/** Signature and type of the result of every method of the Bridge (bridge.md §1.4); null for none. */
export const SIGNATURES = {
  'addFederatorPublicKey(bytes)': 'int256',
  'addFederatorPublicKeyMultikey(bytes,bytes,bytes)': 'int256',
  'addLockWhitelistAddress(string,int256)': 'int256',
  'addOneOffLockWhitelistAddress(string,int256)': 'int256',
  'addSignature(bytes,bytes[],bytes)': null,
  'addUnlimitedLockWhitelistAddress(string)': 'int256',
  'clearBaseEvent()': null,
  'clearSuperEvent()': null,
  'commitFederation(bytes)': 'int256',
  'createFederation()': 'int256',
  'getActiveFederationCreationBlockHeight()': 'uint256',
  'getActivePowpegRedeemScript()': 'bytes',
  'getBaseEvent()': 'bytes',
  'getBtcBlockchainBestBlockHeader()': 'bytes',
  'getBtcBlockchainBestChainHeight()': 'int256',
  'getBtcBlockchainBlockHashAtDepth(int256)': 'bytes',
  'getBtcBlockchainBlockHeaderByHash(bytes32)': 'bytes',
  'getBtcBlockchainBlockHeaderByHeight(uint256)': 'bytes',
  'getBtcBlockchainBlockLocator()': 'string[]',
  'getBtcBlockchainInitialBlockHeight()': 'int256',
  'getBtcBlockchainParentBlockHeaderByHash(bytes32)': 'bytes',
  'getBtcTransactionConfirmations(bytes32,bytes32,uint256,bytes32[])': 'int256',
  'getBtcTxHashProcessedHeight(string)': 'int64',
  'getEstimatedFeesForNextPegOutEvent()': 'uint256',
  'getEstimatedFeesForPegOutAmount(uint256)': 'uint256',
  'getFederationAddress()': 'string',
  'getFederationCreationBlockNumber()': 'int256',
  'getFederationCreationTime()': 'int256',
  'getFederationSize()': 'int256',
  'getFederationThreshold()': 'int256',
  'getFederatorPublicKey(int256)': 'bytes',
  'getFederatorPublicKeyOfType(int256,string)': 'bytes',
  'getFeePerKb()': 'int256',
  'getLockWhitelistAddress(int256)': 'string',
  'getLockWhitelistEntryByAddress(string)': 'int256',
  'getLockWhitelistSize()': 'int256',
  'getLockingCap()': 'int256',
  'getMinimumLockTxValue()': 'int256',
  'getNextPegoutCreationBlockNumber()': 'uint256',
  'getPendingFederationHash()': 'bytes',
  'getPendingFederationSize()': 'int256',
  'getPendingFederatorPublicKey(int256)': 'bytes',
  'getPendingFederatorPublicKeyOfType(int256,string)': 'bytes',
  'getProposedFederationAddress()': 'string',
  'getProposedFederationCreationBlockNumber()': 'int256',
  'getProposedFederationCreationTime()': 'int256',
  'getProposedFederationSize()': 'int256',
  'getProposedFederatorPublicKeyOfType(int256,string)': 'bytes',
  'getQueuedPegoutsCount()': 'uint256',
  'getRetiringFederationAddress()': 'string',
  'getRetiringFederationCreationBlockNumber()': 'int256',
  'getRetiringFederationCreationTime()': 'int256',
  'getRetiringFederationSize()': 'int256',
  'getRetiringFederationThreshold()': 'int256',
  'getRetiringFederatorPublicKey(int256)': 'bytes',
  'getRetiringFederatorPublicKeyOfType(int256,string)': 'bytes',
  'getStateForBtcReleaseClient()': 'bytes',
  'getStateForDebugging()': 'bytes',
  'getStateForSvpClient()': 'bytes',
  'getSuperEvent()': 'bytes',
  'getUnionBridgeContractAddress()': 'address',
  'getUnionBridgeLockingCap()': 'uint256',
  'hasBtcBlockCoinbaseTransactionInformation(bytes32)': 'bool',
  'increaseLockingCap(int256)': 'bool',
  'increaseUnionBridgeLockingCap(uint256)': 'int256',
  'isBtcTxHashAlreadyProcessed(string)': 'bool',
  'receiveHeader(bytes)': 'int256',
  'receiveHeaders(bytes[])': null,
  'registerBtcCoinbaseTransaction(bytes,bytes32,bytes,bytes32,bytes32)': null,
  'registerBtcTransaction(bytes,int256,bytes)': null,
  'registerFastBridgeBtcTransaction(bytes,uint256,bytes,bytes32,bytes,address,bytes,bool)': 'int256',
  'releaseBtc()': null,
  'releaseUnionBridgeRbtc()': 'int256',
  'removeLockWhitelistAddress(string)': 'int256',
  'requestUnionBridgeRbtc(uint256)': 'int256',
  'rollbackFederation()': 'int256',
  'setBaseEvent(bytes)': null,
  'setLockWhitelistDisableBlockDelay(int256)': 'int256',
  'setSuperEvent(bytes)': null,
  'setUnionBridgeContractAddressForTestnet(address)': 'int256',
  'setUnionBridgeTransferPermissions(bool,bool)': 'int256',
  'updateCollections()': null,
  'voteFeePerKbChange(int256)': 'int256',
} as const satisfies Record<string, string | null>

/** A method, with the types of its arguments and result. */
export interface MethodTypes {
  readonly selector: Buffer
  readonly inputs: readonly string[]
  readonly output: string | null
}

const METHODS: ReadonlyMap<string, MethodTypes> = new Map(
  Object.entries(SIGNATURES).map(([signature, output]) => {
    const [name = '', list = ''] = signature.slice(0, -1).split('(')
    const selector = Buffer.from(id(signature).slice(2, 10), 'hex')
    return [name, { selector, inputs: list === '' ? [] : list.split(','), output }]
  }),
)

/** Names of all methods. */
export const METHOD_NAMES: readonly string[] = [...METHODS.keys()]

/** The types of a method. */
export function typesOf(method: string): MethodTypes {
  const types = METHODS.get(method)
  if (types === undefined) throw new RangeError(`the Bridge has no method ${method}`)
  return types
}

/** Call data: selector and arguments. */
export function encodeCall(method: string, args: readonly unknown[]): Buffer {
  const { selector, inputs } = typesOf(method)
  if (inputs.length === 0) return selector
  const encoded = AbiCoder.defaultAbiCoder().encode(inputs, args)
  return Buffer.concat([selector, Buffer.from(encoded.slice(2), 'hex')])
}
