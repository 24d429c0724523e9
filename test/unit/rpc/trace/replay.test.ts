import t from 'tap'
import { toHex } from '../../../../src/util/bytes.ts'
import { COW } from '../../../support/signedTransaction.ts'
import { type DevNode, openDevNode } from '../evm/devNode.ts'

const FROM = toHex(COW.address)
const NEW = `0x${'5a'.repeat(20)}`
const BOTH = ['trace', 'stateDiff']
const word = (value: number) => `0x${value.toString(16).padStart(64, '0')}`
/** Adds one to cell 0 and returns it. */
const COUNTER = '6000546001018060005560005260206000f3'
/** Creates a contract of such code with cell 1 set to 7. */
const CREATION = `0x60076001556012601160003960126000f3${COUNTER}`
/** Reverts with the word 42. */
const REVERTS = '0x602a60005260206000fd'

async function send(
  { ask }: DevNode,
  transaction: object,
): Promise<{ hash: string; contractAddress: string }> {
  const hash = await ask('eth_sendTransaction', {
    from: FROM,
    gas: '0x30d40',
    gasPrice: '0x1',
    ...transaction,
  })
  await ask('evm_mine')
  const { contractAddress } = await ask('eth_getTransactionReceipt', hash)
  return { hash, contractAddress }
}

async function checkReplays(t: Tap, node: DevNode): Promise<void> {
  const { ask } = node
  const replay = (hash: string, types = BOTH) => ask('trace_replayTransaction', hash, types)
  const { hash: creation, contractAddress: counter } = await send(node, { data: CREATION })
  const created = await replay(creation)
  t.equal(created.output, `0x${COUNTER}`)
  t.same(created.stateDiff[counter], {
    balance: { '+': '0x0' },
    code: { '+': `0x${COUNTER}` },
    nonce: { '+': '0x0' },
    storage: { [word(1)]: { '+': word(7) } },
  })
  const nonce = Number(await ask('eth_getTransactionCount', FROM)) - 1
  const [before, after] = [nonce, nonce + 1].map((value) => `0x${value.toString(16)}`)
  t.match(created.stateDiff[FROM], { code: '=', nonce: { '*': { from: before, to: after } }, storage: {} })
  const { from, to } = created.stateDiff[FROM].balance['*']
  t.ok(BigInt(from) > BigInt(to))
  t.equal(created.trace.length, 1)
  t.notOk('blockHash' in created.trace[0] || 'transactionPosition' in created.trace[0])
  t.match(created.trace[0], { type: 'create', traceAddress: [], result: { address: counter } })

  await send(node, { to: counter })
  const { hash: counted } = await send(node, { to: counter })
  const second = await replay(counted)
  t.equal(second.output, word(2))
  t.same(second.stateDiff[counter], {
    balance: '=',
    code: '=',
    nonce: '=',
    storage: { [word(0)]: { '*': { from: word(1), to: word(2) } } },
  })
  t.match(await replay(counted, []), { stateDiff: null, trace: [], vmTrace: null, output: word(2) })

  const { contractAddress: refuses } = await send(node, {
    data: `0x600a600c600039600a6000f3${REVERTS.slice(2)}`,
  })
  const { hash: reverted } = await send(node, { to: refuses })
  t.match(await replay(reverted), { output: word(42), trace: [{ error: 'Reverted', result: null }] })

  const block = await ask('trace_replayBlockTransactions', 'latest', BOTH)
  t.equal(block.length, 2, 'with the reward')
  t.equal(block[0].transactionHash, reverted)
  const { transactionHash: _, ...rest } = block[0]
  t.same(rest, await replay(reverted))
}

type Tap = Parameters<typeof openDevNode>[0]

t.test('replays, also past block 449 and on a rewound chain', async (t) => {
  const node = await openDevNode(t)
  const { answer, ask } = node
  await ask('evm_mine')
  await checkReplays(t, node)
  await ask('hardhat_mine', '0x1c3')
  const mark = await ask('evm_snapshot')
  await checkReplays(t, node)
  await ask('evm_revert', mark)
  await checkReplays(t, node)
  t.equal(await ask('trace_replayTransaction', word(5), BOTH), null)
  t.equal(await ask('trace_replayBlockTransactions', '0xffff', BOTH), null)
  t.same(await ask('trace_replayBlockTransactions', '0x0', BOTH), [])
  for (const types of [['vmTrace'], ['trace', 'constructor'], [5]]) {
    t.match(await answer('trace_replayTransaction', word(5), types), {
      error: { code: -32602, message: /is not supported, only "trace" and "stateDiff" are/ },
    })
  }
  t.match(await answer('trace_replayBlockTransactions', 'latest', 'trace'), { error: { code: -32602 } })
})

t.test('calls that stand on one another', async (t) => {
  const node = await openDevNode(t)
  const { answer, ask } = node
  await ask('evm_mine')
  const { contractAddress: counter } = await send(node, { data: CREATION })
  const call = [{ from: FROM, to: counter }, BOTH]
  const results = await ask('trace_callMany', [call, call, call], 'latest')
  t.same(
    results.map(({ output }: { output: string }) => output),
    [word(1), word(2), word(3)],
  )
  t.same(results[2].stateDiff[counter].storage, { [word(0)]: { '*': { from: word(2), to: word(3) } } })
  t.equal(await ask('eth_call', { to: counter }, 'latest'), word(1), 'nothing is kept')

  const pays = (from: string, to: string, value: string) => [{ from, to, value }, BOTH]
  const paid = await ask('trace_callMany', [
    pays(FROM, NEW, '0x9'),
    pays(NEW, counter, '0x4'),
    pays(FROM, NEW, '0x1'),
  ])
  t.same(paid[0].stateDiff[NEW].balance, { '+': '0x9' })
  t.same(paid[1].stateDiff[NEW].balance, { '*': { from: '0x9', to: '0x5' } })
  t.same(paid[2].stateDiff[NEW].balance, { '*': { from: '0x5', to: '0x6' } })

  const create = [{ from: FROM, data: CREATION }, ['trace']]
  const [first, next] = await ask('trace_callMany', [create, create])
  const madeBy = ([made]: { result: { address: string } }[]) => made?.result.address
  t.not(madeBy(first.trace), madeBy(next.trace), 'each has a nonce of its own')
  const [, called] = await ask('trace_callMany', [
    create,
    [{ from: FROM, to: madeBy(first.trace) }, ['trace']],
  ])
  t.equal(called.output, word(1), 'of the code that the call before left')

  // A contract that destroys itself is gone for the next call.
  const { contractAddress: mortal } = await send(node, {
    data: '0x6002600c60003960026000f333ff',
    value: '0x3',
  })
  const [gone, then] = await ask('trace_callMany', [
    call.with(0, { from: FROM, to: mortal }),
    call.with(0, { from: FROM, to: mortal }),
  ])
  t.match(gone.stateDiff[mortal], { balance: { '-': '0x3' }, code: { '-': '0x33ff' } })
  t.equal(then.trace.length, 1, 'runs no code')
  t.same(await ask('trace_callMany', []), [])
  for (const calls of [5, [5], [[{}]], [[{}, ['vmTrace']]], Array.from({ length: 101 }, () => call)]) {
    t.match(await answer('trace_callMany', calls), { error: { code: -32602 } })
  }
  t.match(await ask('trace_call', { from: FROM, to: NEW, value: '0x9' }, BOTH, 'latest'), {
    stateDiff: { [NEW]: { balance: { '+': '0x9' } } },
  })
})
