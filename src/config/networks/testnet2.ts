import { createActivationHeights, NEVER } from '../activations.ts'
import type { NetworkSpec } from '../networkSpec.ts'
import { bridgeTestnet2 } from './bridge/testnet2.ts'
import { testnet } from './testnet.ts'

/**
 * The second test network: the first one's genesis, its own chain id and no upgrade after arrowhead (consensus.md §1).
 */
export const testnet2: NetworkSpec = {
  ...testnet,
  name: 'testnet2',
  chainId: 34,
  // Its genesis and network id are testnet's, so that the two would find each other: peers are named, not found.
  p2p: { ...testnet.p2p, discovery: false, bootstrap: [], phrase: 'TestNet2' },
  // RSKIP290 and RSKIP297 change chains 31 and 34 only (consensus.md §1.1), so the constants are testnet's.
  remasc: {
    ...testnet.remasc,
    labsAddress: '0xdabadabadabadabadabadabadabadabadaba0004',
    labsAddressRskip218: '0xdabadabadabadabadabadabadabadabadaba0004',
  },
  bridge: bridgeTestnet2,
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
      lovell700: NEVER,
      reed800: NEVER,
      reed810: NEVER,
      vetiver900: NEVER,
      tbd1000: NEVER,
    },
    overrides: { rskip97: NEVER, rskip132: 43_550, rskip284: 2_581_800, rskip290: 2_581_800 },
  }),
}
