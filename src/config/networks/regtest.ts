import { type ActivationTable, createActivationHeights, NEVER } from '../activations.ts'
import type { GenesisAccount, Hex, NetworkSpec } from '../networkSpec.ts'
import { bridgeRegtest } from './bridge/regtest.ts'
import { BRIDGE_GENESIS_ACCOUNT, DEVELOPMENT_BALANCE } from './shared.ts'

/** Accounts of the wallet seeds `cow`, `cow1` … `cow9`, in this order. */
const PREFUNDED: readonly Hex[] = [
  '0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826',
  '0x7986b3df570230288501eea3d890bd66948c9b79',
  '0x0a3aa774752ec2042c46548456c094a76c7f3a79',
  '0xcf7cdbbb5f7ba79d3ffe74a0bba13fc0295f6036',
  '0x39b12c05e8503356e3a7df0b7b33efa4c054c409',
  '0xc354d97642faa06781b76ffb6786f72cd7746c97',
  '0xdebe71e1de41fc77c44df4b6db940026e31b0e71',
  '0x7857288e171c6159c5576d1bd9ac40c0c48a771c',
  '0xa4dea4d5c954f5fd9e87f0e9752911e83a3d18b3',
  '0x09a1eda29f664ac8f68106f6567276df0c65d859',
]

/** Heights of the upgrades, and of the rules that have their own. */
export const regtestActivations: ActivationTable = {
  upgrades: {
    bahamas: 0,
    afterBridgeSync: NEVER,
    orchid: 0,
    orchid060: 0,
    wasabi100: 0,
    twoToThree: 0,
    papyrus200: 0,
    iris300: 0,
    hop400: 0,
    hop401: 0,
    fingerroot500: 0,
    arrowhead600: 0,
    arrowhead631: NEVER,
    lovell700: 0,
    reed800: 0,
    reed810: 0,
    vetiver900: 0,
    tbd1000: 0,
  },
  overrides: { rskip97: NEVER, rskip144: 1, rskip351: 1, rskip535: 1, rskipUMM: 1 },
}

/** The local chain: every rule from the start, easiest difficulty, prefunded accounts (consensus.md §1). */
export const regtest: NetworkSpec = {
  name: 'regtest',
  chainId: 33,
  p2p: {
    networkId: 7771,
    defaultPort: 50_501,
    discovery: false,
    bootstrap: [],
    phrase: 'RegTest',
  },
  difficulty: {
    blockTimeSeconds: 10,
    minimum: 1n,
    minimumRskip290: 1n,
    fallbackMining: 0n,
    divisor: 2048n,
    divisorRskip156: 2048n,
  },
  timestamps: {
    futureLimitSeconds: null,
    bitcoinDistanceSeconds: 0,
    bitcoinDistanceSecondsRskip297: 0,
  },
  minimumSequentialGas: 6_800_000,
  remasc: {
    maturity: 10,
    syntheticSpan: 5,
    labsAddress: '0xdabadabadabadabadabadabadabadabadaba0001',
    labsAddressRskip218: '0xdabadabadabadabadabadabadabadabadaba0001',
  },
  bridge: bridgeRegtest,
  genesis: {
    hash: '0x8ea789fabef0dd4946ed53f001e7b6f8a8d0c22a612a6099fc7f93c990af68fe',
    coinbase: '0x3333333333333333333333333333333333333333',
    difficulty: '0x0000000001',
    gasLimit: '0x989680',
    timestamp: 0,
    extraData: '0x686f727365',
    minimumGasPrice: 0n,
    stateRoot: null,
    accounts: [
      BRIDGE_GENESIS_ACCOUNT,
      ...PREFUNDED.map((address): GenesisAccount => ({ address, balance: DEVELOPMENT_BALANCE })),
    ],
  },
  mining: {
    targetGasLimit: 7_500_000,
    walletSeeds: ['cow', ...Array.from({ length: 9 }, (_, index) => `cow${index + 1}`)],
    coinbaseSeed: 'regtest_miner_secret_please_change',
  },
  activationHeights: createActivationHeights(regtestActivations),
}
