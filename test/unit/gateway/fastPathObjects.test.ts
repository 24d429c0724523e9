import t from 'tap'
import { toHex } from '../../../src/util/bytes.ts'
import { signedTransaction } from '../../support/signedTransaction.ts'
import { type DevNode, openDevNode } from '../rpc/evm/devNode.ts'

const transfer = (nonce: bigint) => toHex(signedTransaction({ nonce, value: 5n }).encoded)
const contract = (nonce: bigint) =>
  toHex(
    signedTransaction({ nonce, to: Buffer.alloc(0), data: LOGGING_CODE, gasLimit: 90_000n, value: 0n })
      .encoded,
  )

/** Emits an empty log when it is created. */
const LOGGING_CODE = Buffer.from('60006000a0', 'hex')

/** Requests that went to the workers. */
const pooled = ({ live }: DevNode) => live.service.dispatcher.stats()['read']?.answered ?? 0

t.test('what was written once is answered in the front thread, and the same', async (t) => {
  const node = await openDevNode(t, { responseCache: 0 })
  const { ask, live } = node
  const hashes: string[] = [await ask('eth_sendRawTransaction', transfer(0n))]
  hashes.push(await ask('eth_sendRawTransaction', contract(1n)))
  await ask('evm_mine')
  const block = await ask('eth_getBlockByNumber', 'latest', true)
  t.equal(block.transactions.length, 3, 'with the reward')
  const requests: [string, ...unknown[]][] = [...hashes, block.transactions[2].hash].flatMap(
    (hash: string): [string, string][] => [
      ['eth_getTransactionReceipt', hash],
      ['eth_getTransactionByHash', hash],
    ],
  )
  for (const full of [true, false]) {
    for (const name of ['latest', '0x1']) requests.push(['eth_getBlockByNumber', name, full])
    requests.push(['eth_getBlockByHash', block.hash, full])
  }
  for (const [method, ...params] of requests) {
    const first = await ask(method, ...params)
    const before = pooled(node)
    const again = await live.service.ask(JSON.stringify({ jsonrpc: '2.0', id: 'again', method, params }))
    t.equal(again.status, 200)
    t.strictSame(JSON.parse(again.text), { jsonrpc: '2.0', id: 'again', result: first })
    t.equal(pooled(node), before, `${method} ${params[0]}`)
  }
  const before = pooled(node)
  const bodies = requests.map(([method, ...params], id) => ({ jsonrpc: '2.0', id, method, params }))
  const batch = JSON.parse((await live.service.ask(JSON.stringify(bodies))).text)
  t.strictSame(
    batch,
    await Promise.all(
      bodies.map(async ({ id, method, params }) => ({
        jsonrpc: '2.0',
        id,
        result: await ask(method, ...params),
      })),
    ),
  )
  t.equal(pooled(node), before, 'in a batch, too')
})

t.test('an answer ends with its block', async (t) => {
  const node = await openDevNode(t, { responseCache: 0 })
  const { ask } = node
  await ask('evm_snapshot')
  const hash = await ask('eth_sendRawTransaction', transfer(0n))
  await ask('evm_mine')
  const asked = async () => [
    (await ask('eth_getTransactionReceipt', hash))?.blockHash,
    (await ask('eth_getTransactionByHash', hash))?.blockHash,
    (await ask('eth_getBlockByNumber', '0x1', false))?.hash,
    (await ask('eth_getBlockByNumber', 'latest', false))?.number,
  ]
  const [first] = await asked()
  t.same(await asked(), [first, first, first, '0x1'])
  const byHash = async () => (await ask('eth_getBlockByHash', first, false))?.hash
  t.same([await byHash(), await byHash()], [first, first])
  await ask('evm_mine')
  t.same(await asked(), [first, first, first, '0x2'], 'a block more')
  await ask('evm_revert', '0x1')
  t.same(await asked(), [undefined, undefined, undefined, '0x0'], 'taken back')
  const gone = await byHash()
  t.equal(await byHash(), gone, 'by its hash as its method says')
  await ask('evm_mine')
  const { hash: empty } = await ask('eth_getBlockByNumber', '0x1', false)
  t.not(empty, first)
  t.equal(await ask('eth_getTransactionReceipt', hash), null)
  t.equal(await ask('eth_sendRawTransaction', transfer(0n)), hash)
  await ask('evm_mine')
  const [second, ...others] = await asked()
  t.ok(second)
  t.not(second, first)
  t.same(others, [second, empty, '0x2'], 'in another block')
  t.same(await asked(), [second, second, empty, '0x2'])
})

t.test('other forms of a request are left to the method', async (t) => {
  const node = await openDevNode(t, { responseCache: 0 })
  const { ask, answer } = node
  const hash = await ask('eth_sendRawTransaction', transfer(0n))
  await ask('evm_mine')
  const receipt = await ask('eth_getTransactionReceipt', hash)
  t.ok(receipt)
  t.same(await ask('eth_getTransactionReceipt', hash.toUpperCase().replace('0X', '0x')), receipt)
  t.match(await answer('eth_getTransactionReceipt', `${hash}00`), { error: { code: -32602 } })
  t.match(await answer('eth_getTransactionReceipt', hash.slice(0, -2)), { error: { code: -32602 } })
  t.match(await answer('eth_getBlockByNumber', '0xzz', true), { error: { code: -32602 } })
  t.match(await answer('eth_getBlockByNumber', '1', true), { error: { code: -32602 } })
  t.equal(await ask('eth_getBlockByNumber', '0xffffffffffffffffffff', true), null)
  t.equal(await ask('eth_getBlockByNumber', '0x2', true), null)
  t.same(await ask('eth_getBlockByNumber', '0x1'), await ask('eth_getBlockByNumber', '0x1', false))
  t.same(await ask('eth_getBlockByNumber', '0x01', false), await ask('eth_getBlockByNumber', '0x1', false))
})
