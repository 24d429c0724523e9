import { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { BroadcastChannel } from 'node:worker_threads'
import t, { type Test } from 'tap'
import { fillDefaults } from '../../src/config/load.ts'
import { createNode } from '../../src/node/createNode.ts'
import { createLogger } from '../../src/observe/logger.ts'
import { toHex } from '../../src/util/bytes.ts'
import { checkCopy, copyStore } from '../faults/checkStore.ts'
import { askNode, freePort, startNode } from '../support/nodeProcess.ts'
import { FAULTS, type Fault } from '../support/peerFaults.ts'
import { COW, signedTransaction } from '../support/signedTransaction.ts'
import { testFolder } from '../support/testFolder.ts'

/** More than are fetched before the thread is seen to begin. */
const BLOCKS = 600
const LOOK_MS = 5
/** No block in so many milliseconds. */
const STILL_MS = 150
/** A minute or more: a count, because a whole machine may stand still meanwhile. */
const LOOKS = 10_000
const BANNED = '203.0.113.9'

interface Head {
  readonly number: string
  readonly hash: string
}

interface Status {
  readonly isDown: boolean
  readonly restarts: string
  readonly listening: boolean
  readonly peers: readonly unknown[]
}

/** A node of this process whose peer thread fails when it is told to, and its log. */
async function startFollower(t: Test, dataDir: string) {
  const p2pPort = await freePort()
  const lines: { readonly msg: string; readonly err?: { readonly stack: string } }[] = []
  const output = new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)))
      done()
    },
  })
  const config = fillDefaults({
    network: 'regtest',
    dataDir,
    httpPort: 0,
    workers: 1,
    logLevel: 'silent',
    mining: false,
    peers: true,
    p2pHost: '127.0.0.1',
    p2pPort,
  })
  const node = await createNode({
    config,
    version: 'test',
    logger: createLogger({ level: 'info', format: 'json', output }),
    peerThread: new URL('../support/failingPeerThread.ts', import.meta.url),
  })
  let stopped: Promise<void> | null = null
  const stop = () => {
    stopped ??= node.stop()
    return stopped
  }
  t.teardown(stop)
  const url = `http://127.0.0.1:${node.port}`
  return {
    lines,
    stop,
    url,
    ask: <T>(method: string, ...params: unknown[]) => askNode<T>(url, method, params),
    text: async (path: string) => {
      const response = await fetch(`${url}${path}`)
      return { status: response.status, text: await response.text() }
    },
  }
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (let look = 0; look < LOOKS; look += 1) {
    if (await holds()) return
    await sleep(LOOK_MS)
  }
  throw new Error(`never: ${what}`)
}

t.test('a peer thread that fails is started again, and the node synchronises to the end', async (t) => {
  const port = await freePort()
  const args = ['--no-mining', '--no-page', '--peers', '--p2p-host', '127.0.0.1', '--p2p-port', String(port)]
  const source = await startNode({ dataDir: testFolder(t), args })
  t.teardown(() => source.stop('SIGKILL'))
  await source.request('hardhat_mine', [`0x${BLOCKS.toString(16)}`])
  const { enode } = await source.request<{ enode: string }>('admin_nodeInfo')
  const dataDir = testFolder(t)
  const { ask, text, lines, stop } = await startFollower(t, dataDir)
  const faults = new BroadcastChannel(FAULTS)
  t.teardown(() => faults.close())
  const fail = (fault: Fault) => faults.postMessage(fault)
  const status = () => ask<Status>('rsk_getPeerStatus')
  const height = async () => Number(await ask<string>('eth_blockNumber'))
  const isSame = async () => {
    const get = ['latest', false] as const
    const { hash } = await ask<Head>('eth_getBlockByNumber', ...get)
    return hash === (await source.request<Head>('eth_getBlockByNumber', [...get])).hash
  }
  const own = await ask<{ enode: string }>('admin_nodeInfo')
  await ask('sco_banAddress', BANNED)
  t.equal(await ask('admin_addPeer', enode), true)

  await until('a block', async () => (await height()) > 0)
  fail('throw')
  // All that holds for as long as it is down, which is a second or so, is looked at first.
  let down: Status | null = null
  await until('the fault', async () => {
    down = await status()
    return down.isDown
  })
  t.match(down, { listening: false, peers: [], restarts: '0x0' })
  const ready = await text('/ready')
  t.equal(ready.status, 503)
  t.match(ready.text, /peers cannot be reached, which is tried again: .*thrown by the test/)
  t.match((await text('/metrics')).text, /^rhizome_peer_thread_failed_info 1$/m)
  const failure = lines.find(({ msg }) => msg.startsWith('the peer thread failed'))
  t.match(failure?.err?.stack, /thrown by the test\n.*at /, 'the log has the stack')
  await t.rejects(ask('admin_peers'), { message: /started again/ })
  // Blocks that the chain thread has go in: a pool forgets what has waited for more than ten, as the reference does.
  let before = -1
  await until('the last block that was fetched', async () => {
    const last = before
    before = await height()
    await sleep(STILL_MS)
    return before === last
  })
  t.ok(before < BLOCKS, `in the middle: at ${before} of ${BLOCKS}`)
  const transaction = signedTransaction({ from: COW, gasPrice: 1_000_000_000n })
  const hash = await ask<string>('eth_sendRawTransaction', toHex(transaction.encoded))

  await until('all blocks', isSame)
  t.equal(await height(), BLOCKS)
  await until(
    'the transaction',
    async () => (await source.request('eth_getTransactionByHash', [hash])) !== null,
  )
  t.same(await ask('sco_bannedAddresses'), [BANNED], 'bans stay')
  t.match(await ask('admin_peers'), [{ enode, network: { static: true } }], 'so do nodes that were added')
  t.equal((await ask<{ enode: string }>('admin_nodeInfo')).enode, own.enode, 'and the port')
  await until('readiness', async () => (await text('/ready')).status === 200)

  const readers = /^rhizome_store_readers_count\{store="chain"\} (\d+)$/m
  const slots = readers.exec((await text('/metrics')).text)?.[1]
  for (const [index, fault] of (['exit', 'throw'] as const).entries()) {
    fail(fault)
    const restarts = `0x${(index + 2).toString(16)}`
    await until(`restart ${restarts}`, async () => (await status()).restarts === restarts)
    await source.request('evm_mine')
    await until('the next block', isSame)
  }
  const metrics = (await text('/metrics')).text
  t.match(metrics, /^rhizome_peer_thread_restarts_total 3$/m)
  t.match(metrics, /^rhizome_peer_thread_failed_info 0$/m)
  t.ok(slots !== undefined)
  t.equal(readers.exec(metrics)?.[1], slots, 'reads of threads that are gone do not stay open')
  const expected = (await ask<Head>('eth_getBlockByNumber', 'latest', false)).hash
  await stop()
  const kept = { transactions: [hash], blocks: [expected], access: { keys: [], requests: new Map() } }
  t.equal(await checkCopy(copyStore(dataDir), 10, kept), BLOCKS + 3)
})
