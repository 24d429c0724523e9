import t from 'tap'
import { RpcError } from '../../../../src/rpc/errors.ts'
import { toHex } from '../../../../src/util/bytes.ts'
import { COW, STRANGER, signedTransaction } from '../../../support/signedTransaction.ts'
import { openDevNode } from '../evm/devNode.ts'

const UNKNOWN = `0x${'5e'.repeat(32)}`

t.test('headers have the fields of blocks that do not depend on their bodies', async (t) => {
  const { ask } = await openDevNode(t)
  await ask('hardhat_mine', '0x1c3')
  const block = await ask('eth_getBlockByNumber', 'latest', false)
  const { size, totalDifficulty, cumulativeDifficulty, transactions, uncles, ...fields } = block
  t.ok(size && totalDifficulty && cumulativeDifficulty && transactions && uncles)
  t.same(await ask('eth_getHeaderByNumber', '0x1c3'), fields)
  t.same(await ask('eth_getHeaderByNumber', 'latest'), fields)
  t.same(await ask('eth_getHeaderByHash', block.hash), fields)
  t.equal(await ask('eth_getHeaderByNumber', '0x1c4'), null)
  t.equal(await ask('eth_getHeaderByHash', UNKNOWN), null)
  t.match(await ask('eth_getHeaderByNumber', 'pending'), { number: null, hash: null, parentHash: block.hash })
  const mark = await ask('evm_snapshot')
  await ask('evm_mine')
  await ask('evm_revert', mark)
  t.equal(await ask('eth_getHeaderByNumber', '0x1c4'), null, 'taken back')
})

t.test('raw transactions, pending and mined', async (t) => {
  const { ask } = await openDevNode(t)
  await ask('evm_mine')
  const { encoded, hash } = signedTransaction({ gasPrice: 1n })
  const [raw, id] = [toHex(encoded), toHex(hash)]
  t.equal(await ask('eth_getRawTransactionByHash', id), null)
  await ask('eth_sendRawTransaction', raw)
  t.equal(await ask('eth_getRawTransactionByHash', id), raw)
  t.equal(await ask('eth_getRawTransactionByBlockNumberAndIndex', 'pending', '0x0'), raw)
  t.equal(await ask('eth_getRawTransactionByBlockNumberAndIndex', 'pending', '0x1'), null)
  await ask('evm_mine')
  t.equal(await ask('eth_getRawTransactionByHash', id), raw)
  const { blockHash } = await ask('eth_getTransactionByHash', id)
  t.equal(await ask('eth_getRawTransactionByBlockNumberAndIndex', 'latest', '0x0'), raw)
  t.equal(await ask('eth_getRawTransactionByBlockHashAndIndex', blockHash, '0x0'), raw)
  t.equal(await ask('eth_getRawTransactionByBlockHashAndIndex', blockHash, '0x2'), null)
  t.equal(await ask('eth_getRawTransactionByBlockHashAndIndex', UNKNOWN, '0x0'), null)
  t.equal(await ask('eth_getRawTransactionByBlockNumberAndIndex', '0x99', '0x0'), null)
})

t.test('the pool of one sender', async (t) => {
  const { ask } = await openDevNode(t)
  await ask('evm_mine')
  const next = signedTransaction({ gasPrice: 1n })
  const later = signedTransaction({ gasPrice: 1n, nonce: 2n })
  const creation = signedTransaction({ gasPrice: 1n, nonce: 3n, to: Buffer.alloc(0), gasLimit: 90_000n })
  for (const { encoded } of [next, later, creation]) await ask('eth_sendRawTransaction', toHex(encoded))
  const byHash = ({ hash }: { hash: Buffer }) => ask('eth_getTransactionByHash', toHex(hash))
  const found = await ask('txpool_contentFrom', toHex(COW.address))
  t.same(found, {
    pending: { 0: await byHash(next) },
    queued: { 2: await byHash(later), 3: await byHash(creation) },
  })
  const shape = { blockHash: null, blockNumber: null, transactionIndex: null, gasPrice: '0x1', type: '0x0' }
  t.match(found.pending[0], { ...shape, nonce: '0x0', value: '0x1' })
  t.match(found.queued[3], { ...shape, nonce: '0x3', to: null })
  t.same(await ask('txpool_contentFrom', toHex(STRANGER.address)), { pending: {}, queued: {} })
})

t.test('sending and waiting for the receipt', async (t) => {
  const { answer, ask } = await openDevNode(t)
  await ask('evm_mine')
  const raw = (nonce: bigint) => {
    const { encoded, hash } = signedTransaction({ gasPrice: 1n, nonce })
    return { text: toHex(encoded), id: toHex(hash) }
  }
  const first = raw(0n)
  const late = await answer('eth_sendRawTransactionSync', first.text, 20)
  t.match(late.error, { code: 4, message: /not mined in 20 ms/, data: first.id })
  await ask('evm_mine')
  const second = raw(1n)
  const waiting = ask('eth_sendRawTransactionSync', second.text, '0x2710')
  while ((await ask('txpool_status')).pending !== 1) await new Promise(setImmediate)
  await ask('evm_mine')
  const receipt = await waiting
  t.same(receipt, await ask('eth_getTransactionReceipt', second.id))
  t.equal(receipt.status, '0x1')
  const gap = raw(3n)
  const unready = await answer('eth_sendRawTransactionSync', gap.text)
  t.match(unready.error, { code: 5, data: gap.id })
  t.match(await answer('eth_sendRawTransactionSync', second.text), { error: { code: -32010 } })
  t.match(await answer('eth_sendRawTransactionSync', '0x1234'), { error: { code: -32602 } })
  t.match(await answer('eth_sendRawTransactionSync', raw(2n).text, 5, 6), { error: { code: -32602 } })
})

t.test('whoever went away is not waited for, nor does the end of the node wait for a receipt', async (t) => {
  const { ask, live } = await openDevNode(t)
  await ask('evm_mine')
  const untilSent = async (count: number) => {
    while ((await ask('txpool_status')).pending !== count) await new Promise(setImmediate)
  }
  const body = (nonce: bigint) => {
    const params = [toHex(signedTransaction({ gasPrice: 1n, nonce }).encoded), 10_000]
    return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_sendRawTransactionSync', params })
  }
  const client = new AbortController()
  const left = live.service.ask(body(0n), undefined, client.signal)
  await untilSent(1)
  client.abort()
  t.match(JSON.parse((await left).text), { error: { code: -32011 } }, 'nobody reads it')
  const staying = live.service.ask(body(1n))
  await untilSent(2)
  live.service.gateway.abandon(new RpcError('stopping'))
  t.match(JSON.parse((await staying).text), { error: { code: -32005, message: /the node stops/ } })
  t.equal((await ask('txpool_status')).pending, 2, 'both are sent all the same')
  const asked = live.service.ask(body(2n))
  await untilSent(3)
  await ask('evm_mine')
  t.match(JSON.parse((await asked).text), { result: { status: '0x1' } }, 'later requests wait as ever')
})
