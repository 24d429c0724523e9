/**
 * Requests per second that were recorded of RSKj and of anvil in one run on a two-core machine
 * (`test/vectors/recorded/README.md`, peer speeds). What anvil does in a run beside its figure here scales RSKj's.
 */
export const RECORDED_SPEEDS: Readonly<Record<string, { readonly rskj: number; readonly anvil: number }>> = {
  eth_chainId: { rskj: 2_700, anvil: 40_000 },
  eth_blockNumber: { rskj: 3_900, anvil: 36_000 },
  eth_getBalance: { rskj: 3_500, anvil: 35_000 },
  eth_getStorageAt: { rskj: 3_700, anvil: 39_000 },
  'eth_call balanceOf': { rskj: 1_000, anvil: 18_000 },
  'eth_call, 1,000 keccak rounds': { rskj: 86, anvil: 1_100 },
  'eth_estimateGas (transfer)': { rskj: 2_300, anvil: 4_400 },
  'eth_getBlockByNumber full': { rskj: 2_200, anvil: 5_100 },
  eth_getTransactionReceipt: { rskj: 4_100, anvil: 29_000 },
  'eth_getLogs, 121 logs': { rskj: 282, anvil: 1_900 },
  'batch of 50 eth_getBalance': { rskj: 1_100, anvil: 4_600 },
}
