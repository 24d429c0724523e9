import t from 'tap'
import { checkChain } from '../../../src/chain/check/checkChain.ts'
import { Block } from '../../../src/chain/codec/block.ts'
import { createStateChecker } from '../../../src/execution/stateChecker.ts'
import { sealInProcess } from '../../../src/mining/seal.ts'
import { toHex } from '../../../src/util/bytes.ts'
import { BlockMaker } from '../../support/blockMaker.ts'
import { openTestChain, REGTEST } from '../../support/openTestChain.ts'
import { openDevNode } from '../rpc/evm/devNode.ts'

// Development networks check no times: a block may have one that no number of JavaScript holds (consensus.md §2.7).

const LATE = [2n ** 53n + 1n, 2n ** 63n - 1n, 2n ** 63n - 1n, 0n, 2n ** 60n + 3n]
/** TIMESTAMP, returned. */
const CODE = '0x425f5260205ff3'
const ANYBODY = `0x${'09'.repeat(20)}`

t.test('a chain of late times is imported, read, called and mined upon', async (t) => {
  const maker = new BlockMaker(t, REGTEST)
  const blocks: Block[] = []
  for (const timestamp of LATE) {
    const [made] = maker.extend(blocks.at(-1) ?? maker.genesis, 1)
    if (made === undefined) throw new Error('no block')
    const block = sealInProcess(new Block(made.header.with({ timestamp }), made.transactions, []))
    blocks.push(block)
    t.match(maker.open.chain.connect(block).status, /^IMPORTED/)
  }

  const opened = openTestChain(t)
  for (const block of blocks) t.equal(opened.chain.connect(block).status, 'IMPORTED_BEST')
  await opened.close()
  const { chain, environment, stateStore } = openTestChain(t, { dataDir: opened.dataDir })
  t.equal(chain.head.fields.timestamp, LATE.at(-1))
  const states = createStateChecker(REGTEST, stateStore)
  t.same(checkChain({ spec: REGTEST, environment, stateBlocks: 9, full: true, states }).problems, [])

  const { live, ask } = await openDevNode(t)
  live.node.core.connectFromPeers(blocks)
  for (const [index, timestamp] of LATE.entries()) {
    const number = `0x${(index + 1).toString(16)}`
    const shown = `0x${timestamp.toString(16)}`
    t.match(await ask('eth_getBlockByNumber', number, false), { timestamp: shown })
    const code = { [ANYBODY]: { code: CODE } }
    t.equal(
      await ask('eth_call', { to: ANYBODY }, number, code),
      `0x${timestamp.toString(16).padStart(64, '0')}`,
    )
    t.ok(await ask('trace_block', number))
  }
  t.ok(await ask('eth_simulateV1', { blockStateCalls: [{}] }))
  await ask('evm_mine')
  const head = await ask('eth_getBlockByNumber', 'latest', false)
  t.match(head, { number: '0x6', parentHash: toHex(blocks.at(-1)?.hash ?? Buffer.alloc(0)) })
})
