/** @import { Context, Log } from '../types.js' */
import { tokensOfLogs } from '../rpc/tokens.js'
import { logList } from './logTable.js'
import { lookBackSection } from './lookBack.js'

/**
 * The newest logs of an address, and further back on request.
 * @param {Context} context
 * @param {string} address
 * @param {bigint} head
 * @param {AbortSignal} signal
 */
export function recentLogs(context, address, head, signal) {
  return lookBackSection({
    title: 'Recent logs',
    head,
    firstBlocks: 128n,
    laterBlocks: 1024n,
    find: async (from, to) => {
      const range = { address, fromBlock: `0x${from.toString(16)}`, toBlock: `0x${to.toString(16)}` }
      /** @type {Log[]} */
      const logs = await context.client.call('eth_getLogs', [range], signal)
      return logs.toReversed()
    },
    show: async (logs) => logList(context, logs, await tokensOfLogs(context, logs, signal), true),
    signal,
  })
}
