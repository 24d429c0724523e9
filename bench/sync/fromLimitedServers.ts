import type { Row, Section } from '../report/results.ts'
import type { SyncBenchOptions } from './benchSync.ts'
import { chainFile } from './chains.ts'
import { startLimitedServers } from './limitedServers.ts'
import { measurePace } from './pace.ts'

/** Blocks a second that the reference gives over one connection: 1,000 messages a minute (p2p.md §4 Limits). */
const BLOCKS_PER_SERVER = 1000 / 60
const TARGET_SHARE = 0.95

/** A new node from servers that drop what exceeds the messages of a minute. */
export async function measureLimitedServers(
  { limitedBlocks, servers, seconds }: SyncBenchOptions,
  detail: Record<string, unknown>,
): Promise<Section> {
  const rows: Row[] = []
  const file = await chainFile('token', 2, limitedBlocks)
  for (const count of servers) {
    const limited = await startLimitedServers(file, count)
    try {
      const stats = await measurePace(limited, seconds)
      detail[`servers, ${count}`] = stats
      const expected = count * BLOCKS_PER_SERVER
      const speed = stats.blocks / stats.seconds
      rows.push({
        servers: count,
        'dialled after s': stats.dialSeconds,
        blocks: stats.blocks,
        seconds: stats.seconds,
        'blocks/s': speed,
        'N × 16.67': expected,
        share: (speed / expected).toFixed(3),
        'dropped messages': stats.dropped,
        'client CPU ms/block': (stats.clientSeconds * 1000) / stats.blocks,
        'servers CPU ms/block': (stats.serverSeconds * 1000) / stats.blocks,
        [`≥ ${TARGET_SHARE}`]: speed / expected >= TARGET_SHARE ? 'met' : '**not met**',
      })
    } finally {
      await limited.close()
    }
  }
  const note =
    'Servers that announce neither block ranges nor snapshots and drop what exceeds 1,001 messages of a connection in a minute ' +
    'of their clock, all in one process, which answers as fast as it can. Blocks are counted from the moment when all of them ' +
    'are connected and the messages that may go at once are used up. Headers take part of the messages.'
  return { title: "Servers with the reference's limit", note, rows }
}
