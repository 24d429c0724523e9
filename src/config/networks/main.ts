import { createActivationHeights, NEVER } from '../activations.ts'
import type { NetworkSpec } from '../networkSpec.ts'
import { bridgeMain } from './bridge/main.ts'
import { BRIDGE_GENESIS_ACCOUNT, bootstrapNodes, FALLBACK_MINING_DIFFICULTY } from './shared.ts'

/** The Rootstock main network (consensus.md §1). */
export const main: NetworkSpec = {
  name: 'main',
  chainId: 30,
  p2p: {
    networkId: 775,
    defaultPort: 5050,
    discovery: true,
    bootstrap: bootstrapNodes(16, 'rsk.co', 5050),
    phrase: 'MainNet',
  },
  difficulty: {
    blockTimeSeconds: 14,
    minimum: 7_000_000_000_000_000n,
    minimumRskip290: 7_000_000_000_000_000n,
    fallbackMining: FALLBACK_MINING_DIFFICULTY,
    divisor: 50n,
    divisorRskip156: 400n,
  },
  timestamps: {
    futureLimitSeconds: 60,
    bitcoinDistanceSeconds: 300,
    bitcoinDistanceSecondsRskip297: 300,
  },
  minimumSequentialGas: 10_000_000,
  remasc: {
    maturity: 4000,
    syntheticSpan: 10,
    labsAddress: '0x14d3065c8eb89895f4df12450ec6b130049f8034',
    labsAddressRskip218: '0xdcb12179ba4697350f66224c959bdd9c282818df',
  },
  bridge: bridgeMain,
  genesis: {
    hash: '0xf88529d4ab262c0f4d042e9d8d3f2472848eaafe1a9b7213f57617eb40a9f9e0',
    coinbase: '0x3333333333333333333333333333333333333333',
    difficulty: '0x0000100000',
    gasLimit: '0x67c280',
    timestamp: 0x5a4af5b0,
    // "Happy Bitcoin Day! 03/Jan/2018 - RSK technology at the service of society"
    extraData:
      '0x486170707920426974636f696e20446179212030332f4a616e2f32303138202d2052534b20746563686e6f6c6f6779206174207468652073657276696365206f6620736f6369657479',
    minimumGasPrice: 183_000_000n,
    // The root in the format before RSKIP107; the stored trie has another (consensus.md §6.9).
    stateRoot: '0x9fa70f12726ac738640a86754741bb3f5680520ccc7e6ae9d95ace566a67fe01',
    accounts: [BRIDGE_GENESIS_ACCOUNT],
  },
  mining: { targetGasLimit: 6_800_000, walletSeeds: [], coinbaseSeed: null },
  activationHeights: createActivationHeights({
    upgrades: {
      bahamas: 3_397,
      afterBridgeSync: 370_000,
      orchid: 729_000,
      orchid060: 1_052_700,
      wasabi100: 1_591_000,
      twoToThree: 2_018_000,
      papyrus200: 2_392_700,
      iris300: 3_614_800,
      hop400: 4_598_500,
      hop401: 4_976_300,
      fingerroot500: 5_468_000,
      arrowhead600: 6_223_700,
      arrowhead631: 6_549_300,
      lovell700: 7_338_024,
      reed800: 8_052_200,
      reed810: NEVER,
      vetiver900: 8_804_200,
      tbd1000: NEVER,
    },
    overrides: { rskip536: 8_804_200 },
  }),
}
