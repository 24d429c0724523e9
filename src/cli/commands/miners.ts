import { defineCommand } from '../command.ts'
import { CommandError } from '../errors.ts'
import { EXIT_CODES } from '../exitCodes.ts'
import { miningStats } from '../miningStats.ts'
import { createAsk, NODE_URL, readMetrics } from '../nodeClient.ts'

/** `rhizome miners`: the merged-mining metrics of a running node. */
export const miners = defineCommand({
  name: 'miners',
  summary: 'show what pools and miners got from a running node and sent to it',
  files: 'none',
  options: [],
  extra: NODE_URL,
  run: async ({ extra: { url }, stdout }) => {
    const ask = createAsk(url)
    try {
      const [metrics, own, network] = await Promise.all([
        readMetrics(url),
        ask('eth_hashrate', []),
        ask('eth_netHashrate', []),
      ])
      const stats: [string, string][] = [
        ...miningStats(metrics),
        ['hash rate', `${Number(own)} hashes/s, the network ${Number(network)}`],
      ]
      const width = Math.max(...stats.map(([name]) => name.length)) + 2
      stdout.write(stats.map(([name, value]) => `${name.padEnd(width)}${value}\n`).join(''))
    } catch (error) {
      throw new CommandError('Failed', (error as Error).message, undefined, { cause: error })
    }
    return EXIT_CODES.ok
  },
})
