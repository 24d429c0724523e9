import t from 'tap'
import { Block } from '../../../../src/chain/codec/block.ts'
import { toHex } from '../../../../src/util/bytes.ts'
import { signedTransaction } from '../../../support/signedTransaction.ts'
import { openDevNode } from './devNode.ts'

const transfer = (nonce: bigint, value = 5n) => toHex(signedTransaction({ nonce, value }).encoded)

t.test('blocks of another node, in order or not, make the same chain', async (t) => {
  const [builder, node] = [await openDevNode(t), await openDevNode(t)]
  const encoded: string[] = []
  for (const nonce of [0n, 1n, 2n]) {
    await builder.ask('eth_sendRawTransaction', transfer(nonce))
    await builder.ask('evm_mine')
    encoded.push(await builder.ask('debug_getRawBlock', 'latest'))
  }
  const { hash, parentHash } = await builder.ask('eth_getBlockByNumber', 'latest')
  t.match(await node.answer('evm_importRawBlock', encoded[2]), {
    error: { code: -32000, message: `block 3 ${hash} waits for ${parentHash}` },
  })
  t.match(await node.ask('evm_importRawBlock', encoded[0]), /^0x[0-9a-f]{64}$/)
  t.equal(await node.ask('eth_blockNumber'), '0x1')
  t.equal(await node.ask('evm_importRawBlock', encoded[1]), parentHash)
  t.match(await node.ask('eth_getBlockByNumber', 'latest'), { hash }, 'what waited came along')
  t.equal(await node.ask('evm_importRawBlock', encoded[2]), hash, 'a known block is as good as a new one')
})

t.test('what is no block, or none by the rules, changes nothing', async (t) => {
  const [builder, node] = [await openDevNode(t), await openDevNode(t)]
  await builder.ask('evm_mine')
  for (const bytes of ['0x', '0xc0', '0x01', '0xc3808080', 'zz', transfer(0n)]) {
    t.match(await node.answer('evm_importRawBlock', bytes), { error: { code: -32602 } }, bytes)
  }
  const { reader } = builder.live.node.core.open.chain
  const block = reader.blockByNumber(1)
  if (block === null) throw new Error('no block')
  const header = block.header.with({ stateRoot: Buffer.alloc(32, 1) })
  const forged = new Block(header, block.transactions, block.uncles)
  t.match(await node.answer('evm_importRawBlock', toHex(forged.encoded)), {
    error: { code: -32000, message: /^block 1 0x[0-9a-f]{64} breaks / },
  })
  for (const [length, message] of [
    [32, /waits for 0x(01){32}$/],
    [0, / breaks encoding: expected a parent hash of 32 bytes, found 0$/],
    [31, / breaks encoding: expected a parent hash of 32 bytes, found 31$/],
    [600, / breaks encoding: expected a parent hash of 32 bytes, found 600$/],
  ] as const) {
    const orphan = new Block(
      block.header.with({ parentHash: Buffer.alloc(length, 1) }),
      block.transactions,
      block.uncles,
    )
    t.match(
      await node.answer('evm_importRawBlock', toHex(orphan.encoded)),
      { error: { code: -32000, message } },
      `a parent of ${length} bytes`,
    )
  }
  t.equal(await node.ask('eth_blockNumber'), '0x0')
  t.match(await node.answer('evm_importRawBlock'), { error: { code: -32602 } })
})

t.test('who mines by itself mines again what a reorganisation gives back', async (t) => {
  const [builder, node] = [await openDevNode(t), await openDevNode(t, { mining: true })]
  const sent = await node.ask('eth_sendRawTransaction', transfer(0n))
  t.match(await node.ask('eth_getTransactionReceipt', sent), { blockNumber: '0x1' })
  for (const _ of [1, 2]) {
    await builder.ask('evm_mine')
    await node.ask('evm_importRawBlock', await builder.ask('debug_getRawBlock', 'latest'))
  }
  t.match(await node.ask('eth_getTransactionReceipt', sent), { blockNumber: '0x3', status: '0x1' })
  t.match(await node.ask('eth_getBlockByNumber', '0x2'), await builder.ask('eth_getBlockByNumber', '0x2'))
})
