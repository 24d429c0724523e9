import t from 'tap'
import { fillDefaults } from '../../../src/config/load.ts'
import type { FleetChainEvent, FleetChainService, FleetPublisher } from '../../../src/fleet/interface.ts'
import { createSharedLog } from '../../../src/fleet/log/sharedLog.ts'
import { type ChainHandleListener, startChainThread } from '../../../src/node/chainThread/chainHandle.ts'
import { chainOptionsFromConfig } from '../../../src/node/options/chainOptions.ts'
import { createProxy, serve } from '../../../src/workers/proxy.ts'
import { BlockMaker } from '../../support/blockMaker.ts'
import { encodedBlocks } from '../../support/fleetChain.ts'
import { REGTEST } from '../../support/openTestChain.ts'
import { signedTransaction } from '../../support/signedTransaction.ts'
import { testFolder } from '../../support/testFolder.ts'

const nothing = () => undefined

t.test('the fleet thread moves the head of the chain thread and has its transactions', async (t) => {
  const maker = new BlockMaker(t, REGTEST)
  const blocks = maker.extend(maker.genesis, 2)
  const config = fillDefaults({
    network: 'regtest',
    mining: false,
    dataDir: testFolder(t),
    fleet: ['nats://127.0.0.1:4222'],
  })
  const heads: (number | undefined)[] = []
  const listener: ChainHandleListener = {
    onHead: ({ enacted, retracted }) => heads.push(enacted.at(-1)?.number ?? -(retracted[0]?.number ?? 0)),
    onPending: nothing,
    onMining: nothing,
    onChange: nothing,
    onStore: nothing,
    onWork: nothing,
    onSubmission: nothing,
    onFault: (text) => t.fail(text),
  }
  const handle = await startChainThread(chainOptionsFromConfig(config, 'Rhizome-test'), listener)
  t.teardown(() => handle.close())
  handle.start()
  const port = handle.connectFleet()
  const events: FleetChainEvent[] = []
  const chain = createProxy<FleetChainService, FleetChainEvent>(port, (event) => events.push(event))
  let sequence = 0
  serve<FleetPublisher>(port, {
    publishTransactions: async (encoded) => {
      const entries = encoded.map((bytes) => {
        sequence += 1
        return { sequence, time: Date.now(), encoded: bytes }
      })
      void chain.admit(entries)
      return entries.map((entry) => entry.sequence)
    },
  })
  await chain.shareLog(createSharedLog())
  t.equal(await chain.whyNot(), null)
  t.same(await chain.genesisHash(), maker.genesis.hash)
  await chain.connect(encodedBlocks(blocks))
  t.match(await chain.heaviest(), { number: 2 })
  for (const { hash } of [...blocks, ...blocks.slice(0, 1)]) await chain.moveHead(hash)
  t.match(await chain.head(), { number: 1 })
  const { encoded, hash } = signedTransaction()
  t.same(await handle.service.sendTransaction(encoded), { status: 'accepted', hash })
  t.same(heads, [1, 2, -2], 'the front thread was told')
  t.equal((await chain.pool()).length, 1)
  const waiting = handle.service.mine()
  while (events.length === 0) await chain.ping()
  await chain.moveHead(events[0]?.block.hash ?? hash)
  await waiting
  t.match(await chain.head(), { number: 2, hash: events[0]?.block.hash })
  t.equal((await chain.pool()).length, 0)
  await t.rejects(handle.service.rollback(1), { kind: 'methodUnavailable', message: /fleet/ })
})
