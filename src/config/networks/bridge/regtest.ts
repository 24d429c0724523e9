import { bitcoinRegtest, unionBridge } from './bitcoin.ts'
import type { BridgeSpec } from './types.ts'

/** Bridge of a local network (bridge.md §6). */
export const bridgeRegtest: BridgeSpec = {
  bitcoin: bitcoinRegtest,
  confirmations: { pegin: 3, pegout: 3 },
  minimumPegin: { legacy: 1_000_000, rskip219: 500_000 },
  minimumPegout: { legacy: 500_000, rskip219: 250_000 },
  pegoutFeeGapPercentage: 20,
  heightIndex: { activation: 10, maxDepthBelow: 5 },
  secondsBetweenReceiveHeader: 300,
  maxHeaderDepth: 25,
  maxInputsPerMigration: 10,
  blocksBetweenPegouts: 50,
  pegoutIndex: { activation: 250, gracePeriod: 100 },
  tooMuchWorkHeight: null,
  federation: {
    genesisKeys: [
      '0x02cd53fc53a07f211641a677d250f6de99caf620e8e77071e811a28b3bcddf0be1',
      '0x0362634ab57dae9cb373a5d536e66a8c4f67468bbcfb063809bab643072d78a124',
      '0x03c5946b3fbae03a654237da863c9ed534e0878657175b132b8ca630f245df04db',
    ],
    genesisFormat: 'p2shP2wshErp',
    genesisCreationTime: 1_451_606_400_000,
    validationPeriod: 125,
    activationAge: { legacy: 10, rskip383: 150, rskip419: 150 },
    migration: { begin: 15, end: 150, endRskip357: 150 },
    erpKeys: [
      '0x03b9fc46657cf72a1afa007ecf431de1cd27ff5cc8829fa625b66ca47b967e6b24',
      '0x029cecea902067992d52c38b28bf0bb2345bda9b21eca76b16a17c477a64e43301',
      '0x03284178e5fbcc63c54c3b38e3ef88adf2da6c526313650041b0ef955763634ebd',
      '0x03ab0e2cd7ed158687fc13b88019990860cdb72b1f5777b58513312550ea1584bc',
    ],
    erpDelay: 500,
    oldAddress: '2N7ZgQyhFKm17RbaLqygYbS7KLrQfapyZzu',
    hardcodedErpScript: null,
  },
  authorisers: {
    federationChange: [
      '0x5252403bca6ac3c104abdd320a736fa38282045d',
      '0x0d8c44bd578a4e7148d1758b3332b529e93e48c1',
      '0x566bca18df14ed75efcc1a8a4f3947e81132dbbc',
      '0x2e7c9159614ddc0185e335d3343e92700c3e5a2d',
      '0xf0652637df184eca87e6bde29893825721dfb79f',
    ],
    feePerKb: ['0x53f8f6dabd612b6137215ddd7758bb5cdd638922'],
    lockingCap: ['0x6913bd4715eff3b25501f3212f15df38296d1f21'],
    whitelist: ['0x87d2a0f33744929da08b65fd62b627ea52b25f8e'],
    unionAddress: '0x6c9dfd950bf748bb26f893f7e5f693c7f60a8f85',
    unionLockingCap: '0xff6f4ff09c54561e1476203e56fcfc834911aa64',
    unionPermissions: '0xff6f4ff09c54561e1476203e56fcfc834911aa64',
  },
  feePerKb: { genesis: 100_000, maximum: 5_000_000 },
  lockingCap: { initial: 100_000_000_000, multiplier: 2 },
  union: unionBridge,
}
