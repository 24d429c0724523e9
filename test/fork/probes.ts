import { toFunctionSelector } from 'viem'
import { encodeCall } from '../bridge/chains/methods.ts'

/** Random numbers of a chain. */
export interface ChainRandom {
  /** A whole number from 0 to below a bound. */
  readonly below: (bound: number) => number
  readonly hex: (digits: number) => string
}

/** Calls the address of its first word with the rest of its data, and logs the success and what came back. */
const LISTENER_RUNTIME = [
  // The length of the data for the other contract, which is copied to 0.
  '3660209003806020600037',
  // CALL(gas, first word, 0, 0, length, 0, 0)
  '60006000916000600060 00355af1',
  // The success at 0, what came back behind it, all of it in a log without topics.
  '6000523d600060203e3d6020016000a000',
]
  .join('')
  .replaceAll(' ', '')

/** Code that makes the contract that logs what others answer. */
export const LISTENER = `0x60${(LISTENER_RUNTIME.length / 2).toString(16)}80600b6000396000f3${LISTENER_RUNTIME}`

const BRIDGE = '01000006'
const REMASC = '01000008'
const WALLET = '01000009'
const HEADERS = '01000010'
const ENVIRONMENT = '01000011'
/** Of the BlockHeader contract. */
const HEADER_FIELDS = [
  'getCoinbaseAddress',
  'getBlockHash',
  'getMergedMiningTags',
  'getMinGasPrice',
  'getGasLimit',
  'getGasUsed',
  'getDifficulty',
  'getBitcoinHeader',
  'getDifficultyWithUncles',
  'getCumulativeWork',
] as const
/** Views of the Bridge that contracts may ask. */
const BRIDGE_VIEWS = [
  'getActivePowpegRedeemScript',
  'getBtcBlockchainBestBlockHeader',
  'getBtcBlockchainBestChainHeight',
  'getBtcBlockchainInitialBlockHeight',
  'getEstimatedFeesForNextPegOutEvent',
  'getFederationAddress',
  'getFederationSize',
  'getFederationThreshold',
  'getFeePerKb',
  'getLockingCap',
  'getMinimumLockTxValue',
  'getNextPegoutCreationBlockNumber',
  'getQueuedPegoutsCount',
  'getRetiringFederationAddress',
  'getStateForBtcReleaseClient',
  'getUnionBridgeLockingCap',
] as const

const word = (value: number | bigint) => value.toString(16).padStart(64, '0')

/** An answer of a precompiled contract, as data for the contract that logs it. */
export function listening({ below, hex }: ChainRandom): string {
  const selector = (signature: string) => toFunctionSelector(signature).slice(2)
  const depth = () => word(below(below(4) === 0 ? 600 : 40))
  const asked = [
    // Ethereum's, from 1 to 9: mostly with data that they do not like.
    () => [word(below(9) + 1), hex(2 * below(400))],
    () => [word(5), word(32) + word(1) + word(32) + hex(64) + word(below(300)) + hex(64)],
    // Twice the generator of alt_bn128, and the generator times a number.
    () => [word(6), (word(1) + word(2)).repeat(2)],
    () => [word(7), word(1) + word(2) + hex(64)],
    () => [word(9), `0000000${hex(1)}${hex(416)}0${below(2)}`],
    () => [HEADERS, selector(`${HEADER_FIELDS[below(HEADER_FIELDS.length)]}(int256)`) + depth()],
    () => [HEADERS, selector('getUncleCoinbaseAddress(int256,int256)') + depth() + word(below(2))],
    () => [ENVIRONMENT, selector('getCallStackDepth()')],
    () => [
      WALLET,
      selector('toBase58Check(bytes,int256)') + word(64) + word(below(256)) + word(20) + hex(64),
    ],
    () => [BRIDGE, encodeCall(BRIDGE_VIEWS[below(BRIDGE_VIEWS.length)] ?? '', []).toString('hex')],
    () => [REMASC, selector(below(2) === 0 ? 'getStateForDebugging()' : 'processMinersFees()')],
  ]
  const [address = '', data = ''] = asked[below(asked.length)]?.() ?? []
  return `0x${address.padStart(64, '0')}${data}`
}

/** Code that logs what it sees of an account, and calls it, which costs more where there is none. */
export function looking(address: string): string {
  const account = `73${address.slice(2)}`
  const seen = ['31', '3b', '3f']
    .map((opcode, index) => `${account}${opcode}60${hexOf(index * 32)}52`)
    .join('')
  return `0x${seen}${'6000'.repeat(5)}${account}5af160605260806000a000`
}

/** Code that logs what it sees of its block and of its transaction. */
export function surroundings(): string {
  const opcodes = ['30', '32', '33', '34', '3a', '41', '42', '43', '44', '45', '46', '47', '48']
  const seen = opcodes.map((opcode, index) => `${opcode}61${word(index * 32).slice(-4)}52`).join('')
  return `0x${seen}61${word(opcodes.length * 32).slice(-4)}6000a000`
}

const hexOf = (value: number) => value.toString(16).padStart(2, '0')
