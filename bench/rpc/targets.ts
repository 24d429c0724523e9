/** Least required ratio to each peer of a row, and the comparable row of {@link RECORDED_SPEEDS}. */
export interface Target {
  readonly rskj?: number
  readonly anvil?: number
  readonly 'geth --dev'?: number
  readonly recorded?: string
}

/** Targets of the measurements by the names of the workloads. */
export const TARGETS: Readonly<Record<string, Target>> = {
  eth_chainId: { rskj: 12, anvil: 1.2, 'geth --dev': 2.5, recorded: 'eth_chainId' },
  eth_blockNumber: { rskj: 12, anvil: 1.2, 'geth --dev': 2.5, recorded: 'eth_blockNumber' },
  'eth_getBalance latest': { rskj: 10, anvil: 1.2, 'geth --dev': 3.5, recorded: 'eth_getBalance' },
  'eth_getBalance latest of 200,000 accounts': {
    rskj: 10,
    anvil: 1.2,
    'geth --dev': 3.5,
    recorded: 'eth_getBalance',
  },
  eth_getStorageAt: { rskj: 10, anvil: 1.2, 'geth --dev': 3.5, recorded: 'eth_getStorageAt' },
  'eth_getStorageAt of 200,000 cells': {
    rskj: 10,
    anvil: 1.2,
    'geth --dev': 3.5,
    recorded: 'eth_getStorageAt',
  },
  eth_getTransactionCount: { rskj: 10, anvil: 1.2, 'geth --dev': 3.5 },
  'eth_getTransactionCount of 200,000 accounts': { rskj: 10, anvil: 1.2, 'geth --dev': 3.5 },
  'eth_call balanceOf': { rskj: 20, anvil: 1.3, 'geth --dev': 3.5, recorded: 'eth_call balanceOf' },
  'eth_call balanceOf of 200,000 accounts': {
    rskj: 20,
    anvil: 1.3,
    'geth --dev': 3.5,
    recorded: 'eth_call balanceOf',
  },
  'eth_call 1 Mgas compute': {
    rskj: 12,
    anvil: 1.1,
    'geth --dev': 2,
    recorded: 'eth_call, 1,000 keccak rounds',
  },
  'eth_estimateGas, plain transfer': {
    rskj: 4,
    anvil: 2,
    'geth --dev': 3,
    recorded: 'eth_estimateGas (transfer)',
  },
  'eth_estimateGas, token transfer': { rskj: 4, anvil: 2, 'geth --dev': 3 },
  'eth_getBlockByNumber full': { rskj: 8, anvil: 3, 'geth --dev': 3, recorded: 'eth_getBlockByNumber full' },
  eth_getTransactionReceipt: {
    rskj: 8,
    anvil: 1.2,
    'geth --dev': 4,
    recorded: 'eth_getTransactionReceipt',
  },
  'eth_getLogs, 200 logs': { rskj: 15, anvil: 2, 'geth --dev': 20, recorded: 'eth_getLogs, 121 logs' },
  'eth_getLogs, sparse over 10,000 blocks': { rskj: 50, anvil: 3, 'geth --dev': 1 },
  'batch of 50 eth_getBalance': {
    rskj: 6,
    anvil: 1.3,
    'geth --dev': 8,
    recorded: 'batch of 50 eth_getBalance',
  },
  'traffic mix': { rskj: 15, anvil: 1.3, 'geth --dev': 3.5 },
  'traffic mix with distinct parameters': { rskj: 15, anvil: 1.3, 'geth --dev': 3.5 },
}

/** Most milliseconds of the 99th percentile at half the peak rate, for every read of the mix. */
export const P99_AT_HALF_PEAK = 5
