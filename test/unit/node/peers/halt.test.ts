import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { Block } from '../../../../src/chain/codec/block.ts'
import { addPeerMetrics } from '../../../../src/node/metrics/peerMetrics.ts'
import { HaltFile } from '../../../../src/node/peers/haltFile.ts'
import { peerReasons } from '../../../../src/node/peers/peerStatus.ts'
import { createMetrics } from '../../../../src/observe/metrics.ts'
import type { SyncClient } from '../../../../src/sync/client/syncClient.ts'
import { type Halt, haltBy } from '../../../../src/sync/halt/halt.ts'
import { HaltBoard } from '../../../../src/sync/halt/haltBoard.ts'
import { SyncStart } from '../../../../src/sync/syncStart.ts'
import { openWholeNode } from '../../../network/wholeNode.ts'
import { BlockMaker } from '../../../support/blockMaker.ts'
import { SILENT_LOG } from '../../../support/peerScene.ts'
import { until, WEIGHTY } from '../../../support/syncScene.ts'
import { testFolder } from '../../../support/testFolder.ts'

const RUNS = { restarts: 0, fault: null }

const maker = new BlockMaker(t, WEIGHTY)
const chain = maker.extend(maker.genesis, 30)

t.test(
  'a block that cannot be judged shows at /ready, in the metrics, the report and the file',
  async (t) => {
    const dataDir = testFolder(t)
    const path = join(dataDir, 'refused-block.json')
    const file = new HaltFile(dataDir, SILENT_LOG)
    const source = await openWholeNode(t, WEIGHTY, '127.1.0.1', [], chain)
    const onHalt = (halt: Halt | null) => file.write(halt)
    const node = await openWholeNode(t, WEIGHTY, '127.2.0.1', [source.place], [], { onHalt })
    let fails = true
    node.chain.before = () =>
      fails
        ? [{ status: 'UNDECIDED', reason: 'block 1 cannot be judged: coinbase: expected 20 bytes' }]
        : null
    const metrics = createMetrics()
    addPeerMetrics(metrics, { report: () => node.node.report(), status: () => RUNS, busySeconds: () => 0 })
    t.match(await metrics.registry.metrics(), /sync_halted_info 0/)
    await until(() => node.node.report().halted !== null)
    t.match(node.node.report().halted, { cause: 'undecidedBlock', number: 1, hash: chain[0]?.hash })
    t.match(peerReasons(node.node.report(), RUNS), [/block 1 .*cannot be judged here .*coinbase/])
    t.match(await metrics.registry.metrics(), /sync_halted_info 1/)
    t.match(JSON.parse(readFileSync(path, 'utf8')), {
      cause: 'undecidedBlock',
      number: 1,
      hash: `0x${chain[0]?.hashHex}`,
      reason: /coinbase/,
      text: /it is tried again/,
    })
    fails = false
    await until(() => node.isAt(chain.at(-1) as Block))
    await until(() => node.node.report().halted === null)
    t.same(peerReasons(node.node.report(), RUNS), [])
    t.notOk(existsSync(path))
  },
)

t.test('the file of an earlier run is removed, and a disk that takes none ends nothing', (t) => {
  const dataDir = testFolder(t)
  new HaltFile(dataDir, SILENT_LOG).write(haltBy('internalError', 'gone'))
  t.ok(existsSync(join(dataDir, 'refused-block.json')))
  const missing = new HaltFile(join(dataDir, 'missing'), SILENT_LOG)
  missing.write(haltBy('internalError', 'gone'))
  const next = new HaltFile(dataDir, SILENT_LOG)
  t.notOk(existsSync(join(dataDir, 'refused-block.json')))
  next.write(null)
  t.end()
})

t.test('of several halts the most important one is told, and the next when it is over', (t) => {
  const told: (string | null)[] = []
  const board = new HaltBoard((halt) => told.push(halt?.cause ?? null))
  board.set('backfill', haltBy('backfillError', 'a'))
  board.set('chain', haltBy('internalError', 'b'))
  board.set('snapshot', null)
  board.set('chain', null)
  board.set('backfill', null)
  t.same(told, ['backfillError', 'internalError', 'backfillError', null])
  t.end()
})

t.test('a beginning that fails is told and tried again', async (t) => {
  const halts: (string | null)[] = []
  let tries = 0
  let started = 0
  const position = async () => {
    tries += 1
    if (tries === 1) throw new Error('no space left')
    return { headers: null, target: null, nextChunk: null, nextBlock: null }
  }
  const start = new SyncStart({
    client: { start: () => (started += 1) } as unknown as SyncClient,
    snapshot: null,
    store: { position, discard: async () => undefined },
    log: SILENT_LOG,
    onHalt: (halt) => halts.push(halt?.reason ?? null),
  })
  const alive = setInterval(() => undefined, 1_000)
  t.teardown(() => clearInterval(alive))
  start.start()
  await until(() => started === 1)
  await until(() => halts.length === 2)
  t.same(halts, ['no space left', null])
  await start.close()
})
