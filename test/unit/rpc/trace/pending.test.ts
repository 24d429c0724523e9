import t from 'tap'
import { toHex } from '../../../../src/util/bytes.ts'
import { COW, STRANGER, signedTransaction } from '../../../support/signedTransaction.ts'
import { openDevNode } from '../evm/devNode.ts'

const FROM = toHex(COW.address)
const TO = toHex(STRANGER.address)
const REMASC = '0x0000000000000000000000000000000001000008'
/** Writes to a cell, calls its creator and logs an empty log. */
const CREATES = '60016000556000600060006000335afa5060006000a0'
const QUOTA_TRANSFER = 21_000

t.test('the block that would be mined now is traced as it is afterwards', async (t) => {
  const { ask } = await openDevNode(t)
  await ask('evm_mine')
  const hash = await ask('eth_sendTransaction', { from: FROM, to: TO, value: '0x5', gas: '0x5208' })
  const created = await ask('eth_sendTransaction', { from: FROM, data: `0x${CREATES}`, gas: '0x186a0' })
  t.equal((await ask('eth_getBlockTransactionCountByNumber', 'pending')).toString(), '0x2')

  const names = { debug: 'debug_traceBlockByNumber', flat: 'trace_block' }
  const before = {
    calls: await ask(names.debug, 'pending', { tracer: 'callTracer', tracerConfig: { withLog: true } }),
    steps: await ask(names.debug, 'pending'),
    prestate: await ask(names.debug, 'pending', { tracer: 'prestateTracer' }),
    flat: await ask(names.flat, 'pending'),
  }
  t.same(
    before.calls
      .map(({ txHash }: { txHash: string }) => txHash)
      .slice(0, 2)
      .sort(),
    [hash, created].sort(),
  )
  t.equal(before.calls.length, 3, 'with the reward')
  t.match(before.calls.at(-1), { result: { to: REMASC } })
  const creation = before.calls.find(({ txHash }: { txHash: string }) => txHash === created)
  t.match(creation.result, { type: 'CREATE', from: FROM, calls: [{ type: 'STATICCALL' }], logs: [{}] })
  t.match(
    before.flat.find(({ transactionHash }: { transactionHash: string }) => transactionHash === hash),
    { type: 'call', action: { from: FROM, to: TO, value: '0x5' }, blockNumber: 2 },
  )
  t.ok(before.steps.some(({ structLogs }: { structLogs?: unknown[] }) => (structLogs?.length ?? 0) > 10))
  t.equal(before.prestate.length, 3)

  t.equal(await ask('debug_traceTransaction', hash), null, 'nothing is mined yet')
  t.equal(await ask('trace_transaction', hash), null)
  t.equal(await ask('trace_transaction', created), null)

  await ask('evm_mine')
  const after = {
    calls: await ask(names.debug, 'latest', { tracer: 'callTracer', tracerConfig: { withLog: true } }),
    flat: await ask(names.flat, 'latest'),
  }
  const metadata = (calls: { txHash: string; result: object }[]) =>
    calls.slice(0, 2).map(({ txHash, result }) => ({ txHash, result }))
  t.same(metadata(before.calls), metadata(after.calls))
  const bare = (traces: { blockHash: string }[]) => traces.map(({ blockHash: _, ...rest }) => rest)
  t.same(bare(before.flat).slice(0, 2), bare(after.flat).slice(0, 2))
  t.match(await ask('trace_transaction', hash), [{ type: 'call' }])
})

t.test('an empty pending block has its reward alone', async (t) => {
  const { ask } = await openDevNode(t)
  await ask('evm_mine')
  t.match(await ask('debug_traceBlockByNumber', 'pending', { tracer: 'callTracer' }), [
    { result: { to: REMASC } },
  ])
  t.match(await ask('trace_block', 'pending'), [{ action: { to: REMASC } }])
})

t.test('what an account may still send', async (t) => {
  const { ask, live } = await openDevNode(t, { accountQuota: true })
  await ask('evm_mine')
  t.equal(await ask('debug_accountTransactionQuota', TO), null, 'it never sent anything')
  const send = (nonce: bigint) =>
    ask('eth_sendRawTransaction', toHex(signedTransaction({ nonce, gasPrice: 1n }).encoded))
  await send(0n)
  const first = await ask('debug_accountTransactionQuota', FROM)
  t.equal(first.timestamp, live.clock.milliseconds)
  await send(1n)
  const second = await ask('debug_accountTransactionQuota', FROM)
  t.ok(second.availableVirtualGas <= first.availableVirtualGas - QUOTA_TRANSFER, 'less by what was sent')
  live.clock.milliseconds += 3_600_000
  await send(2n)
  const later = await ask('debug_accountTransactionQuota', FROM)
  t.ok(later.availableVirtualGas > second.availableVirtualGas, 'it grows with time')
  t.equal(later.timestamp, live.clock.milliseconds)
  const { ask: unlimited } = await openDevNode(t)
  await unlimited('eth_sendRawTransaction', toHex(signedTransaction({}).encoded))
  t.equal(await unlimited('debug_accountTransactionQuota', FROM), null, 'there is no quota')
})
