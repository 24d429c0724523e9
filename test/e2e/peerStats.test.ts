import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { TestNetwork } from '../network/testNetwork.ts'
import { freePort, type NodeProcess, startNode } from '../support/nodeProcess.ts'
import { testFolder } from '../support/testFolder.ts'

/** With the rate of the link, in bytes a second, they take longer than the second between two reports. */
const BLOCKS = 600
const SLOW = { rate: 100_000 }
const LOOK_MS = 20
/** Where the relay of the link is reached. */
const OPEN = '127.0.0.2'

type Figures = ReadonlyMap<string, number>

async function startPeer(t: Test, ...args: string[]): Promise<NodeProcess> {
  const common = ['--no-mining', '--no-page', '--p2p-host', '127.0.0.1']
  const node = await startNode({ dataDir: testFolder(t), args: [...common, ...args] })
  t.teardown(() => node.stop('SIGKILL'))
  return node
}

/** Every sample of the metrics under its name with labels, without what all of them begin with. */
async function scrape({ url }: NodeProcess): Promise<Figures> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const lines = [...text.matchAll(/^rhizome_((?:peer|sync|clock)\S*(?: *\S+="[^"]*")*\}?) (\S+)$/gm)]
  return new Map(lines.map(([, name = '', value]) => [name, Number(value)]))
}

async function until(node: NodeProcess, holds: (stats: Figures) => boolean): Promise<Figures> {
  for (;;) {
    const stats = await scrape(node)
    if (holds(stats)) return stats
    await sleep(LOOK_MS)
  }
}

t.test('metrics of whole nodes tell of a synchronisation and of the peers', async (t) => {
  const port = await freePort()
  const source = await startPeer(t, '--peers', '--p2p-port', String(port))
  await source.request('hardhat_mine', [`0x${BLOCKS.toString(16)}`])
  const { enode } = await source.request<{ enode: string }>('admin_nodeInfo')
  const alone = await scrape(source)
  t.equal(alone.get('sync_stage_info{stage="waiting"}'), 1, 'nobody is there')
  t.notOk([...alone.keys()].some((name) => name.startsWith('peers_count')))

  const link = new TestNetwork()
  t.teardown(() => link.close())
  link.set(SLOW)
  const far = enode.replace('@127.0.0.1:', `@${OPEN}:`)
  const follower = await startPeer(t, '--peer', far, '--p2p-port', String(await freePort()))
  // Not before somebody can look.
  await link.connect({ address: '127.0.0.1', open: OPEN }, port)
  const during = await until(follower, (now) => now.get('sync_stage_info{stage="blocks"}') === 1)
  link.set({})
  t.equal(during.get('sync_highest_block_number'), BLOCKS)
  t.equal(during.get('peers_count{client="rhizome",direction="out"}'), 1)
  t.ok((during.get('peer_bytes_total{direction="in"}') ?? 0) > 0)
  t.ok((during.get('peer_bytes_total{direction="out"}') ?? 0) > 0)
  t.ok((during.get('sync_checked_header_number') ?? 0) > 0)
  await until(follower, (now) => (now.get('sync_blocks_per_second_ratio') ?? 0) > 0)
  const after = await until(follower, (now) => now.get('sync_stage_info{stage="following"}') === 1)
  t.ok((after.get('peer_bytes_total{direction="in"}') ?? 0) > BLOCKS * 300, 'all blocks came this way')
  t.equal(after.get('sync_checked_header_number'), BLOCKS)
  t.ok(after.has('peer_score_number'))
  t.ok((after.get('peer_thread_busy_seconds_total') ?? 0) > 0)
  t.match(Object.fromEntries(after), {
    peer_thread_restarts_total: 0,
    peer_thread_failed_info: 0,
    sync_halted_info: 0,
    clock_difference_seconds: 0,
  })
  const serving = await until(source, (now) => now.has('peers_count{client="rhizome",direction="in"}'))
  t.ok((serving.get('peer_bytes_total{direction="out"}') ?? 0) > BLOCKS * 300)
  await follower.stop()
  await until(source, (now) => !now.has('peers_count{client="rhizome",direction="in"}'))
})
