import t from 'tap'
import { REGTEST } from '../../support/openTestChain.ts'
import { BlockMaker } from '../../support/blockMaker.ts'
import { dumpTables, encodedBlocks, openMember } from '../../support/fleetChain.ts'

t.test('blocks are executed beside the chain, and the head moves when the fleet says so', async (t) => {
  const maker = new BlockMaker(t, REGTEST)
  const blocks = maker.extend(maker.genesis, 5)
  const { service, core, accepted } = openMember(t)
  const outcomes = await service.connect(encodedBlocks(blocks))
  t.same(
    outcomes.map(({ status }) => status),
    Array(5).fill('IMPORTED_BEST'),
  )
  t.match(await service.head(), { number: 0 })
  t.match(await service.heaviest(), { number: 5, hash: blocks[4]?.hash })
  t.same(accepted, [], 'the fleet is not told of its own blocks')
  for (const block of blocks) {
    t.match(await service.executed(block.hash), { number: block.number, hash: block.hash })
    await service.moveHead(block.hash)
    t.match(await service.head(), { number: block.number, hash: block.hash })
    t.ok(core.open.executor.hasStateAfter(block.header))
  }
  t.equal(await service.executed(Buffer.alloc(32, 1)), null)
  t.ok(core)
})
