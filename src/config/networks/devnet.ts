import { type ActivationTable, createActivationHeights, NEVER } from '../activations.ts'
import type { NetworkSpec } from '../networkSpec.ts'
import { bridgeDevnet } from './bridge/devnet.ts'
import { BRIDGE_GENESIS_ACCOUNT, DEVELOPMENT_BALANCE, FALLBACK_MINING_DIFFICULTY } from './shared.ts'

/** Heights of the upgrades, and of the rules that have their own. */
export const devnetActivations: ActivationTable = {
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
    // The reference ships no height for arrowhead631, reed810 and tbd1000 and does not start without
    // them; these are the heights under which its devnet genesis was recorded.
    arrowhead631: NEVER,
    lovell700: 0,
    reed800: 0,
    reed810: 0,
    vetiver900: 0,
    tbd1000: NEVER,
  },
  overrides: { rskip97: NEVER, rskipUMM: 1 },
}

/** The development network (consensus.md §1). */
export const devnet: NetworkSpec = {
  name: 'devnet',
  chainId: 32,
  p2p: {
    networkId: 44_444_444,
    defaultPort: null,
    discovery: false,
    bootstrap: [],
    phrase: 'Dev',
  },
  difficulty: {
    blockTimeSeconds: 14,
    minimum: 131_072n,
    minimumRskip290: 131_072n,
    fallbackMining: FALLBACK_MINING_DIFFICULTY,
    divisor: 50n,
    divisorRskip156: 400n,
  },
  timestamps: {
    futureLimitSeconds: 540,
    bitcoinDistanceSeconds: 300,
    bitcoinDistanceSecondsRskip297: 300,
  },
  minimumSequentialGas: 10_000_000,
  remasc: {
    maturity: 20,
    syntheticSpan: 10,
    labsAddress: '0xdabadabadabadabadabadabadabadabadaba0002',
    labsAddressRskip218: '0xdabadabadabadabadabadabadabadabadaba0002',
  },
  bridge: bridgeDevnet,
  genesis: {
    hash: '0x0e34a837e54432dac7a969304932164e820269c89f3ac0a202afbd5c1b70b7b6',
    coinbase: '0x3333333333333333333333333333333333333331',
    difficulty: '0x0000100000',
    gasLimit: '0x67c280',
    timestamp: 0,
    extraData: '0x434d272841',
    minimumGasPrice: 0n,
    stateRoot: null,
    accounts: [
      BRIDGE_GENESIS_ACCOUNT,
      { address: '0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826', balance: DEVELOPMENT_BALANCE },
      { address: '0xbc0afa86de01ebb58f7fe83ef01de204d4f8ced6', balance: 0n },
      { address: '0x77045e71a7a2c50903d88e564cd72fab11e82051', balance: 0n },
      { address: '0x7efdb03921e67f4fa23310a93c59abfc8ba0c8b9', balance: 0n },
      { address: '0x9efa02278cc63dc612c174976f11037d382f8b67', balance: 0n },
      { address: '0x055c99bbcf3ab46890ab87ea3761a5a1830c3225', balance: 0n },
    ],
  },
  mining: { targetGasLimit: 6_800_000, walletSeeds: ['cow'], coinbaseSeed: null },
  activationHeights: createActivationHeights(devnetActivations),
}
