import { bitcoinTestnet, nobody, unionBridge } from './bitcoin.ts'
import type { BridgeSpec } from './types.ts'

/**
 * Bridge of the development network. The reference no longer carries a federation for it, and fails there;
 * federation, authorisers, fees and cap are the last ones it had (before its commit bde805aaf2).
 */
export const bridgeDevnet: BridgeSpec = {
  bitcoin: bitcoinTestnet,
  confirmations: { pegin: 1, pegout: 10 },
  minimumPegin: { legacy: 1_000_000, rskip219: 500_000 },
  minimumPegout: { legacy: 500_000, rskip219: 250_000 },
  pegoutFeeGapPercentage: 20,
  heightIndex: { activation: 700_000, maxDepthBelow: 4320 },
  secondsBetweenReceiveHeader: 300,
  maxHeaderDepth: 25,
  maxInputsPerMigration: 10,
  blocksBetweenPegouts: 360,
  pegoutIndex: { activation: 1_000_000, gracePeriod: 4320 },
  tooMuchWorkHeight: null,
  federation: {
    genesisKeys: [
      '0x02914c05df0b11862ac6931c226ad40ebc4f5624ee6dca34278d3bbfa73b914cbd',
      '0x0309d9df35855aa45235a04e30d228889eb03e462874588e631359d5f9cdea6519',
      '0x03d68975ab0f6ab782febc37aaa486ae19cc5e72c6900e34e21317285c88915ed6',
    ],
    genesisFormat: 'standard',
    genesisCreationTime: 1_510_617_600,
    validationPeriod: 125,
    activationAge: { legacy: 10, rskip383: 20, rskip419: 20 },
    migration: { begin: 15, end: 100, endRskip357: 100 },
    erpKeys: [
      '0x03b9fc46657cf72a1afa007ecf431de1cd27ff5cc8829fa625b66ca47b967e6b24',
      '0x029cecea902067992d52c38b28bf0bb2345bda9b21eca76b16a17c477a64e43301',
      '0x03284178e5fbcc63c54c3b38e3ef88adf2da6c526313650041b0ef955763634ebd',
      '0x03776b1fd8f86da3c1db3d69699e8250a15877d286734ea9a6da8e9d8ad25d16c1',
      '0x03ab0e2cd7ed158687fc13b88019990860cdb72b1f5777b58513312550ea1584bc',
    ],
    erpDelay: 52_560,
    oldAddress: '2N7ZgQyhFKm17RbaLqygYbS7KLrQfapyZzu',
    hardcodedErpScript: null,
  },
  authorisers: {
    federationChange: [
      '0x5252403bca6ac3c104abdd320a736fa38282045d',
      '0x0d8c44bd578a4e7148d1758b3332b529e93e48c1',
      '0x566bca18df14ed75efcc1a8a4f3947e81132dbbc',
      '0x2e7c9159614ddc0185e335d3343e92700c3e5a2d',
      '0xc06ee485837f0321e15da2544f5e463566a24065',
    ],
    feePerKb: ['0x53f8f6dabd612b6137215ddd7758bb5cdd638922'],
    lockingCap: ['0x6913bd4715eff3b25501f3212f15df38296d1f21'],
    whitelist: ['0xc06ee485837f0321e15da2544f5e463566a24065'],
    unionAddress: nobody,
    unionLockingCap: nobody,
    unionPermissions: nobody,
  },
  feePerKb: { genesis: 100_000, maximum: 5_000_000 },
  lockingCap: { initial: 100_000_000_000, multiplier: 2 },
  union: unionBridge,
}
