import { bitcoinTestnet, unionBridge } from './bitcoin.ts'
import type { BridgeSpec } from './types.ts'

/** Bridge of the test network (bridge.md §6). */
export const bridgeTestnet: BridgeSpec = {
  bitcoin: bitcoinTestnet,
  confirmations: { pegin: 10, pegout: 10 },
  minimumPegin: { legacy: 1_000_000, rskip219: 500_000 },
  minimumPegout: { legacy: 500_000, rskip219: 250_000 },
  pegoutFeeGapPercentage: 80,
  heightIndex: { activation: 2_039_594, maxDepthBelow: 4320 },
  secondsBetweenReceiveHeader: 300,
  maxHeaderDepth: 25,
  maxInputsPerMigration: 50,
  blocksBetweenPegouts: 360,
  pegoutIndex: { activation: 2_589_553, gracePeriod: 1440 },
  tooMuchWorkHeight: null,
  federation: {
    genesisKeys: [
      '0x02afc230c2d355b1a577682b07bc2646041b5d0177af0f98395a46018da699b6da',
      '0x0344a3c38cd59afcba3edcebe143e025574594b001700dec41e59409bdbd0f2a09',
      '0x034844a99cd7028aa319476674cc381df006628be71bc5593b8b5fdb32bb42ef85',
      '0x039a060badbeb24bee49eb2063f616c0f0f0765d4ca646b20a88ce828f259fcdb9',
    ],
    genesisFormat: 'standard',
    genesisCreationTime: 1_538_967_600,
    validationPeriod: 2000,
    activationAge: { legacy: 60, rskip383: 120, rskip419: 2400 },
    migration: { begin: 60, end: 900, endRskip357: 900 },
    erpKeys: [
      '0x0216c23b2ea8e4f11c3f9e22711addb1d16a93964796913830856b568cc3ea21d3',
      '0x034db69f2112f4fb1bb6141bf6e2bd6631f0484d0bd95b16767902c9fe219d4a6f',
      '0x0275562901dd8faae20de0a4166362a4f82188db77dbed4ca887422ea1ec185f14',
    ],
    erpDelay: 52_560,
    oldAddress: '2N7ZgQyhFKm17RbaLqygYbS7KLrQfapyZzu',
    hardcodedErpScript:
      '0x6453210208f40073a9e43b3e9103acec79767a6de9b0409749884e989960fee578012fce210225e892391625854128c5c4ea4340de0c2a70570f33db53426fc9c746597a03f42102afc230c2d355b1a577682b07bc2646041b5d0177af0f98395a46018da699b6da210344a3c38cd59afcba3edcebe143e025574594b001700dec41e59409bdbd0f2a0921039a060badbeb24bee49eb2063f616c0f0f0765d4ca646b20a88ce828f259fcdb955670300cd50b27552210216c23b2ea8e4f11c3f9e22711addb1d16a93964796913830856b568cc3ea21d3210275562901dd8faae20de0a4166362a4f82188db77dbed4ca887422ea1ec185f1421034db69f2112f4fb1bb6141bf6e2bd6631f0484d0bd95b16767902c9fe219d4a6f5368ae',
  },
  authorisers: {
    federationChange: [
      '0x5990aaedfccc88e2f7321a5b8d8db1f6e64abf03',
      '0x112140a53537b49788456daffda2e20efd1865cd',
      '0x5526529f386c4c77044f1c29bb965b37a7767c3d',
    ],
    feePerKb: [
      '0x4502d34c8e889b2be7e1bfe1a645df8fa3f9204b',
      '0xf7d8befef29878e5c35fee23e6889ed88afb56b8',
      '0x9e472a8b3f3c95736b0b255db2b7ba38c687c751',
    ],
    lockingCap: [
      '0x4502d34c8e889b2be7e1bfe1a645df8fa3f9204b',
      '0xf7d8befef29878e5c35fee23e6889ed88afb56b8',
      '0x9e472a8b3f3c95736b0b255db2b7ba38c687c751',
    ],
    whitelist: ['0x54fdb399cf235c9b0d464ab4055af9251883bbfe'],
    unionAddress: '0x54fdb399cf235c9b0d464ab4055af9251883bbfe',
    unionLockingCap: '0x1a8109af0f019ed3045fbcdf45e5e90d6b6aafaf',
    unionPermissions: '0x8db1f83e8119e4dce5bc708ec2f4390ffd910b19',
  },
  feePerKb: { genesis: 100_000, maximum: 5_000_000 },
  lockingCap: { initial: 20_000_000_000, multiplier: 2 },
  union: unionBridge,
}
