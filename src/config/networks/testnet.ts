import { createActivationHeights, NEVER } from '../activations.ts'
import type { NetworkSpec } from '../networkSpec.ts'
import { bridgeTestnet } from './bridge/testnet.ts'
import { BRIDGE_GENESIS_ACCOUNT, bootstrapNodes, FALLBACK_MINING_DIFFICULTY } from './shared.ts'

/** The Rootstock test network (consensus.md §1). */
export const testnet: NetworkSpec = {
  name: 'testnet',
  chainId: 31,
  p2p: {
    networkId: 8100,
    defaultPort: 50_505,
    discovery: true,
    bootstrap: bootstrapNodes(8, 'testnet.rsk.co', 50_505),
    phrase: 'TestNet',
  },
  difficulty: {
    blockTimeSeconds: 14,
    minimum: 131_072n,
    minimumRskip290: 550_000_000n,
    fallbackMining: FALLBACK_MINING_DIFFICULTY,
    divisor: 50n,
    divisorRskip156: 400n,
  },
  timestamps: {
    futureLimitSeconds: 540,
    bitcoinDistanceSeconds: 300,
    bitcoinDistanceSecondsRskip297: 7200,
  },
  minimumSequentialGas: 10_000_000,
  remasc: {
    maturity: 50,
    syntheticSpan: 10,
    labsAddress: '0xdabadabadabadabadabadabadabadabadaba0003',
    labsAddressRskip218: '0xdabadabadabadabadabadabadabadabadaba0003',
  },
  bridge: bridgeTestnet,
  genesis: {
    hash: '0xcabb7fbe88cd6d922042a32ffc08ce8b1fbb37d650b9d4e7dbfe2a7469adfa42',
    coinbase: '0x3333333333333333333333333333333333333333',
    difficulty: '0x0000100000',
    gasLimit: '0x4c4b40',
    timestamp: 0,
    extraData: '0x434d272841',
    minimumGasPrice: 0n,
    stateRoot: '0x45bce5168430c42b3d568331753f900a32457b4f3748697cbd8375ff4da72641',
    accounts: [BRIDGE_GENESIS_ACCOUNT],
  },
  mining: { targetGasLimit: 6_800_000, walletSeeds: [], coinbaseSeed: null },
  activationHeights: createActivationHeights({
    upgrades: {
      bahamas: 0,
      afterBridgeSync: 114_000,
      orchid: 0,
      orchid060: 0,
      wasabi100: 0,
      twoToThree: 504_000,
      papyrus200: 863_000,
      iris300: 2_060_500,
      hop400: 3_103_000,
      hop401: 3_362_200,
      fingerroot500: 4_015_800,
      arrowhead600: 4_927_100,
      arrowhead631: NEVER,
      lovell700: 6_110_487,
      reed800: 6_835_700,
      reed810: 7_139_600,
      vetiver900: 7_604_200,
      tbd1000: NEVER,
    },
    overrides: {
      rskip97: NEVER,
      rskip132: 43_550,
      rskip284: 2_581_800,
      rskip290: 2_581_800,
      rskip535: 7_604_200,
    },
  }),
}
