import t from 'tap'
import { toHex } from '../../../../src/util/bytes.ts'
import { signedTransaction } from '../../../support/signedTransaction.ts'
import { type DevNode, openDevNode } from '../evm/devNode.ts'

const next = signedTransaction({ gasPrice: 1n, nonce: 0n })
const queued = signedTransaction({ gasPrice: 1n, nonce: 1n })
const [raw, id] = [toHex(queued.encoded), toHex(queued.hash)]
const NO_BLOCK = { blockHash: null, blockNumber: null, transactionIndex: null }

/** Answers of a batch by their ids. */
async function askBatch({ live }: DevNode, calls: readonly (readonly [string, ...unknown[]])[]) {
  const body = calls.map(([method, ...params], index) => ({ jsonrpc: '2.0', id: index, method, params }))
  const { text } = await live.service.ask(JSON.stringify(body))
  const answers = JSON.parse(text) as { readonly id: number; readonly result?: unknown }[]
  return answers.sort((a, b) => a.id - b.id).map(({ result }) => result)
}

t.test('a transaction that waits for a nonce is known by its hash, as one that is pending', async (t) => {
  const node = await openDevNode(t)
  await node.ask('evm_mine')
  t.equal(await node.ask('eth_getTransactionByHash', id), null)
  t.equal(await node.ask('eth_sendRawTransaction', raw), id)
  const known = await node.ask('eth_getTransactionByHash', id)
  t.match(known, { hash: id, nonce: '0x1', ...NO_BLOCK })
  for (const method of ['eth_getRawTransactionByHash', 'debug_getRawTransaction']) {
    t.equal(await node.ask(method, id), raw, method)
  }
  const byHash = ['eth_getTransactionByHash', 'eth_getRawTransactionByHash', 'debug_getRawTransaction']
  t.same(
    await askBatch(
      node,
      byHash.map((method) => [method, id] as const),
    ),
    [known, raw, raw],
  )
  t.same((await node.ask('txpool_content')).pending, {}, 'it still waits')
  t.equal(await node.ask('eth_getTransactionReceipt', id), null)

  await node.ask('eth_sendRawTransaction', toHex(next.encoded))
  t.same(await node.ask('eth_getTransactionByHash', id), known, 'pending')
  await node.ask('evm_mine')
  t.match(await node.ask('eth_getTransactionByHash', id), { blockNumber: '0x2' }, 'mined')
})
