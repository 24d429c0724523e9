import { bitcoinMain, nobody, unionBridge } from './bitcoin.ts'
import type { BridgeSpec } from './types.ts'

/** Bridge of the main network (bridge.md §6). */
export const bridgeMain: BridgeSpec = {
  bitcoin: {
    ...bitcoinMain,
    checkpoint: {
      height: 499_968,
      chainWork: '0xcd6eae36c0cee5640896d3',
      header:
        '0x00000020e37c80a7a8b850e3e89add09090b6b89b874496513ef89000000000000000000285ddc7985e7c34eb205d2c3129727f7bc10873e11e054b48d1a92786a42d7d2c8c8375a459600189b3aa792',
    },
  },
  confirmations: { pegin: 100, pegout: 4000 },
  minimumPegin: { legacy: 1_000_000, rskip219: 500_000 },
  minimumPegout: { legacy: 800_000, rskip219: 400_000 },
  pegoutFeeGapPercentage: 80,
  heightIndex: { activation: 696_022, maxDepthBelow: 4320 },
  secondsBetweenReceiveHeader: 300,
  maxHeaderDepth: 25,
  maxInputsPerMigration: 50,
  blocksBetweenPegouts: 360,
  pegoutIndex: { activation: 837_589, gracePeriod: 4320 },
  tooMuchWorkHeight: 849_138,
  federation: {
    genesisKeys: [
      '0x0245ef34f5ee218005c9c21227133e8568a4f3f11aeab919c66ff7b816ae1ffeea',
      '0x02481f02b7140acbf3fcdd9f72cf9a7d9484d8125e6df7c9451cfa55ba3b077265',
      '0x02550cc87fa9061162b1dd395a16662529c9d8094c0feca17905a3244713d65fe8',
      '0x02566d5ded7c7db1aa7ee4ef6f76989fb42527fcfdcddcd447d6793b7d869e46f7',
      '0x027319afb15481dbeb3c426bcc37f9a30e7f51ceff586936d85548d9395bcc2344',
      '0x0294c817150f78607566e961b3c71df53a22022a80acbb982f83c0c8baac040adc',
      '0x02ac1901b6fba2c1dbd47d894d2bd76c8ba1d296d65f6ab47f1c6b22afb53e73eb',
      '0x02c6018fcbd3e89f3cf9c7f48b3232ea3638eb8bf217e59ee290f5f0cfb2fb9259',
      '0x031aabbeb9b27258f98c2bf21f36677ae7bae09eb2d8c958ef41a20a6e88626d26',
      '0x0340df69f28d69eef60845da7d81ff60a9060d4da35c767f017b0dd4e20448fb44',
      '0x0355a2e9bf100c00fc0a214afd1bf272647c7824eb9cb055480962f0c382596a70',
      '0x0372cd46831f3b6afd4c044d160b7667e8ebf659d6cb51a825a3104df6ee0638c6',
      '0x03b53899c390573471ba30e5054f78376c5f797fda26dde7a760789f02908cbad2',
      '0x03b65694ccccda83cbb1e56b31308acd08e993114c33f66a456b627c2c1c68bed6',
      '0x03f909ae15558c70cc751aff9b1f495199c325b13a9e5b934fd6299cd30ec50be8',
    ],
    genesisFormat: 'standard',
    genesisCreationTime: 1_514_948_400,
    validationPeriod: 20_000,
    activationAge: { legacy: 18_500, rskip383: 40_320, rskip419: 40_320 },
    migration: { begin: 0, end: 10_585, endRskip357: 172_800 },
    erpKeys: [
      '0x0257c293086c4d4fe8943deda5f890a37d11bebd140e220faa76258a41d077b4d4',
      '0x03c2660a46aa73078ee6016dee953488566426cf55fc8011edd0085634d75395f9',
      '0x03cd3e383ec6e12719a6c69515e5559bcbe037d0aa24c187e1e26ce932e22ad7b3',
      '0x02370a9838e4d15708ad14a104ee5606b36caaaaf739d833e67770ce9fd9b3ec80',
    ],
    erpDelay: 52_560,
    oldAddress: '35JUi1FxabGdhygLhnNUEFG4AgvpNMgxK1',
    hardcodedErpScript: null,
  },
  authorisers: {
    federationChange: [
      '0x56bc5087ac97bc85a877bd20dfef910b78b1dc5a',
      '0x6fe1cd06a80fa52eb34d7e4d1845881c2b5de89a',
      '0xd41f4d4c7fc8d5fa9468d0c466c9a726397f91b6',
    ],
    feePerKb: [
      '0xa02db0ed94a5894bc6f9079bb9a2d93ada1917f3',
      '0x180a7edda4e640ea5a3e495e17a1efad260c39e9',
      '0x8418edc8fea47183116b4c8cd6a12e51a7e169c1',
    ],
    lockingCap: [
      '0xa02db0ed94a5894bc6f9079bb9a2d93ada1917f3',
      '0x180a7edda4e640ea5a3e495e17a1efad260c39e9',
      '0x8418edc8fea47183116b4c8cd6a12e51a7e169c1',
    ],
    whitelist: ['0x6ba9d41b07da470fe340cbd439a42538795eb75b'],
    unionAddress: nobody,
    unionLockingCap: nobody,
    unionPermissions: nobody,
  },
  feePerKb: { genesis: 500_000, maximum: 5_000_000 },
  lockingCap: { initial: 30_000_000_000, multiplier: 2 },
  union: unionBridge,
}
