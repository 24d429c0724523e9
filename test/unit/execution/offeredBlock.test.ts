import t, { type Test } from 'tap'
import { MANUAL_MODE } from '../../../src/mining/blockProducer.ts'
import { sealInProcess } from '../../../src/mining/seal.ts'
import type { NativeBlockExecution } from '../../../src/native/blockExecution.ts'
import { openLocalNode } from '../../support/localNode.ts'
import { signedTransaction } from '../../support/signedTransaction.ts'

/** A node with one transaction waiting, and the block that would hold it. */
async function buildOne(t: Test, { checksOffers }: { checksOffers: boolean }) {
  const { core } = openLocalNode(t, { dataDir: t.testdir() }, { chain: { checksOffers } })
  core.producer.setMode(MANUAL_MODE)
  await core.sendTransaction(signedTransaction({ value: 5n }).encoded)
  const built = core.pendingBlock()
  return { core, built, block: sealInProcess(built.block) }
}

/** The result with one fact replaced. */
function withFact(
  execution: NativeBlockExecution,
  fact: Partial<NativeBlockExecution>,
): NativeBlockExecution {
  const { stateRoot, receiptsRoot, receiptList, logsBloom, gasUsed, paidFees } = execution
  const keep = () => execution.keep()
  const setHead = () => execution.setHead()
  return {
    ...{ stateRoot, receiptsRoot, receiptList, logsBloom, gasUsed, paidFees, keep, setHead },
    ...fact,
  } as NativeBlockExecution
}

t.test('what building came to is compared with the header like any result', async (t) => {
  const { core, built, block } = await buildOne(t, { checksOffers: false })
  const { chain, executor } = core.open
  executor.provideExecution(block, built.parentRoot, withFact(built.execution, { gasUsed: 1n }))
  t.match(chain.connect(block), { status: 'INVALID_BLOCK', error: { rule: 'gasUsed', found: '1' } })
  t.match(chain.connect(block), { status: 'IMPORTED_BEST' }, 'an offer holds for one block')
})

t.test('an offer is for one block on one state', async (t) => {
  const { core, built, block } = await buildOne(t, { checksOffers: false })
  const { chain, executor } = core.open
  executor.provideExecution(block, Buffer.alloc(32), withFact(built.execution, { gasUsed: 1n }))
  t.match(chain.connect(block), { status: 'IMPORTED_BEST' }, 'built on another state: executed')
  t.equal(core.pool.pendingCount, 0, 'the pool follows')
  await core.mine()
  t.equal(chain.head.number, 2)
})

t.test('building and executing are compared when that is asked for', async (t) => {
  const { core, built, block } = await buildOne(t, { checksOffers: true })
  const { chain, executor } = core.open
  executor.provideExecution(
    block,
    built.parentRoot,
    withFact(built.execution, { paidFees: Buffer.from([1]) }),
  )
  t.match(chain.connect(block), { status: 'UNDECIDED', error: { message: /built: .*executed: / } })
  executor.provideExecution(block, built.parentRoot, built.execution)
  t.match(chain.connect(block), { status: 'IMPORTED_BEST' })
})
