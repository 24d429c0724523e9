import type { BitcoinSpec } from './types.ts'

/** Bitcoin's main network. */
export const bitcoinMain: BitcoinSpec = {
  network: 'main',
  addressVersion: 0,
  scriptAddressVersion: 5,
  maxTargetBits: 0x1d00ffff,
  difficultyInterval: 2016,
  genesisHeader:
    '0x0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4a29ab5f49ffff001d1dac2b7c',
}

/** Testnet3. */
export const bitcoinTestnet: BitcoinSpec = {
  network: 'testnet',
  addressVersion: 111,
  scriptAddressVersion: 196,
  maxTargetBits: 0x1d00ffff,
  difficultyInterval: 2016,
  genesisHeader:
    '0x0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4adae5494dffff001d1aa4ae18',
}

/** Regression test mode; the difficulty is never adjusted. */
export const bitcoinRegtest: BitcoinSpec = {
  network: 'regtest',
  addressVersion: 111,
  scriptAddressVersion: 196,
  maxTargetBits: 0x207fffff,
  difficultyInterval: 0x7fffffff,
  genesisHeader:
    '0x0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4adae5494dffff7f2002000000',
}

/** An address without an owner. */
export const nobody = '0x0000000000000000000000000000000000000000'

/** The same union bridge constants everywhere: no contract yet, 1 RBTC, at most doubled at once. */
export const unionBridge = { address: nobody, initialLockingCap: '0xde0b6b3a7640000', multiplier: 2 } as const
