import t from 'tap'
import { METHODS } from '../../../src/rpc/methods.ts'
import { openDevNode } from './evm/devNode.ts'

const UNKNOWN = `0x${'5e'.repeat(32)}`
/** Methods that read what a hash names. */
const READS = METHODS.filter(({ name }) => /^(eth|rsk)_get\w*(ByHash|ByBlockHash|Receipt$)/.test(name))

t.test('what an unknown hash names is null: blocks, transactions, uncles, receipts and counts', async (t) => {
  const { answer } = await openDevNode(t)
  for (const { name, params } of READS) {
    const given = params
      .filter(({ optional }) => !optional)
      .map((param) => (param.name === 'index' ? '0x0' : UNKNOWN))
    t.same(await answer(name, ...given), { jsonrpc: '2.0', id: 1, result: null }, name)
  }
  const names = READS.map(({ name }) => name)
  for (const name of [
    'eth_getUncleCountByBlockHash',
    'eth_getBlockTransactionCountByHash',
    'eth_getBlockByHash',
  ]) {
    t.ok(names.includes(name), name)
  }
})
