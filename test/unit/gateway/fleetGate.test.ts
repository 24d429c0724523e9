import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { EVERY_REVISION, type FleetHead } from '../../../src/fleet/interface.ts'
import { Account } from '../../../src/gateway/access/account.ts'
import { Caller } from '../../../src/gateway/access/caller.ts'
import { UNLIMITED } from '../../../src/gateway/access/limits.ts'
import { MemoryAccount, MemoryTotal } from '../../../src/gateway/access/memoryAccount.ts'
import { UsageCounts } from '../../../src/gateway/access/usageCounts.ts'
import type { AnswerSink } from '../../../src/gateway/scheduler/ticket.ts'
import type { RpcError } from '../../../src/rpc/errors.ts'
import { getFilterChanges } from '../../../src/rpc/eth/getFilterChanges.ts'
import { getFilterLogs } from '../../../src/rpc/eth/getFilterLogs.ts'
import { METHODS } from '../../../src/rpc/methods.ts'
import { toHex } from '../../../src/util/bytes.ts'
import { HOUR, openFleetScene, request } from '../../support/fleetScene.ts'

const BLOCK_NUMBER = request('eth_blockNumber')
const result = ({ text }: { text: string }): unknown => (JSON.parse(text) as { result: unknown }).result
const error = ({ text }: { text: string }) =>
  (JSON.parse(text) as { error?: { code: number; message: string } }).error

const headEntry = (hash: Buffer, revision: number): FleetHead => ({
  ...{ hash, revision, number: 0, totalDifficulty: 1n },
  ...{ epoch: 1, leader: '1'.repeat(16), members: [] },
})

t.test(
  'bodies wait for the head that the release names, in order, over whichever port comes first',
  async (t) => {
    const { gate, ask, order, mine, tell, tellHead } = openFleetScene(t)
    t.equal(result(await ask(BLOCK_NUMBER)), '0x0')
    order.length = 0
    gate.hold(7)
    const single = ask(request('eth_blockNumber', [], 1))
    const batch = ask(`[${request('eth_blockNumber', [], 2)},${request('eth_chainId', [], 3)}]`)
    const last = ask(request('eth_getBalance', [`0x${'11'.repeat(20)}`, 'latest'], 4))
    await turn()
    t.same(order, [], 'nothing is begun')
    t.equal(gate.waiting, 3)
    const hash = await mine()
    tell({ kind: 'release', revision: 8, hash })
    const late = ask(request('eth_blockNumber', [], 5))
    await turn()
    t.same(order, [], 'the head of that hash is not known here')
    tellHead()
    t.equal(result(await single), '0x1', 'the head that was released')
    t.match((await batch).text, /"result":"0x1"/)
    await Promise.all([last, late])
    t.same(order, ['1', '2', '4', '5'])
    t.equal(gate.waiting, 0)

    gate.hold(8)
    const second = ask(BLOCK_NUMBER)
    const next = await mine()
    tellHead()
    await turn()
    t.equal(gate.waiting, 1, 'the head alone releases nothing')
    tell({ kind: 'release', revision: 8, hash: next })
    await turn()
    t.equal(gate.waiting, 1, 'a release of the revision that is prepared for is none')
    tell({ kind: 'release', revision: 9, hash: next })
    t.equal(result(await second), '0x2')
  },
)

t.test('a hold that comes after a release of a later revision holds nothing', async (t) => {
  const { gate, ask, head, tell } = openFleetScene(t)
  const { hash } = head.block
  tell({ kind: 'release', revision: 9, hash })
  gate.hold(8)
  t.equal(result(await ask(BLOCK_NUMBER)), '0x0')
  for (const anew of [
    { kind: 'release', revision: EVERY_REVISION, hash },
    { kind: 'membership', absence: 'joining', head: null },
  ] as const) {
    tell({ kind: 'release', revision: 9, hash })
    tell(anew)
    tell({ kind: 'membership', absence: null, head: headEntry(hash, 2) })
    gate.hold(2)
    const held = ask(BLOCK_NUMBER)
    await turn()
    t.equal(gate.waiting, 1, 'revisions of a log that counts anew are lower')
    tell({ kind: 'release', revision: 3, hash })
    t.equal(result(await held), '0x0')
  }
})

t.test('the same head under a new revision ends a hold, and a new hold keeps what waits', async (t) => {
  const { gate, ask, head, tell } = openFleetScene(t)
  gate.hold(3)
  const first = ask(BLOCK_NUMBER)
  gate.hold(4)
  tell({ kind: 'release', revision: 4, hash: head.block.hash })
  await turn()
  t.equal(gate.waiting, 1)
  tell({ kind: 'release', revision: 5, hash: head.block.hash })
  t.equal(result(await first), '0x0')
  t.equal(gate.holds.late, 0)
  t.equal(
    gate.holds.counts.reduce((sum, count) => sum + count, 0),
    1,
  )
})

t.test(
  'many bodies are answered in order over several turns, with those that come meanwhile behind',
  async (t) => {
    const { gate, ask, order, head, tell } = openFleetScene(t)
    gate.hold(1)
    const count = 700
    const open = Array.from({ length: count }, (_, id) => ask(request('eth_blockNumber', [], id)))
    tell({ kind: 'release', revision: 2, hash: head.block.hash })
    t.ok(gate.waiting > 0, 'one turn answers a part')
    open.push(ask(request('eth_blockNumber', [], count)))
    await Promise.all(open)
    t.same(
      order,
      Array.from({ length: count + 1 }, (_, id) => String(id)),
    )
  },
)

t.test('after too long a hold what depends on the head is refused until the next release', async (t) => {
  const { gate, ask, head, mine, tell, tellHead } = openFleetScene(t, { hold: 1 })
  const genesis = toHex(head.block.hash)
  gate.hold(1)
  const waited = await ask(BLOCK_NUMBER)
  t.match(error(waited), { code: -32000, message: /about to change/ })
  t.equal(waited.status, 503)
  t.equal(gate.absence, 'held')
  t.match(error(await ask(BLOCK_NUMBER)), { code: -32000 })
  t.equal(result(await ask(request('eth_chainId'))), '0x21')
  t.match(result(await ask(request('eth_getBlockByHash', [genesis, false]))), { number: '0x0' })
  const hash = await mine()
  tell({ kind: 'release', revision: 2, hash })
  t.equal(gate.absence, 'held', 'the head is still to come')
  tellHead()
  t.equal(gate.absence, null)
  t.equal(result(await ask(BLOCK_NUMBER)), '0x1')
  t.equal(gate.holds.late, 1)
})

t.test('a call of another member begins under the head that the other one has, or a later one', async (t) => {
  const { gate, head, mine, tell, tellHead } = openFleetScene(t)
  const { hash } = head.block
  tell({ kind: 'membership', absence: null, head: headEntry(hash, 7) })
  await gate.begin(7)
  await gate.begin(3)
  const begun: string[] = []
  const begin = (name: string, revision: number) => gate.begin(revision).then(() => begun.push(name))
  const later = begin('later', 8)
  await turn()
  t.same(begun, [], 'the entry that the other member has is not applied here')
  tell({ kind: 'release', revision: 8, hash })
  await later
  gate.hold(8)
  const held = begin('held', 8)
  await turn()
  t.same(begun, ['later'], 'nothing is begun while the head changes')
  const next = await mine()
  tell({ kind: 'release', revision: 9, hash: next })
  await turn()
  t.same(begun, ['later'], 'the head of that hash is not known here')
  t.equal(gate.applied?.revision, 8)
  tellHead()
  await held
  t.match(gate.applied, { revision: 9, hash: next })
  const refused = t.rejects(begin('never', 10), { kind: 'fleetAway', message: /cut off/ })
  tell({ kind: 'membership', absence: 'cutOff', head: headEntry(next, 9) })
  await refused
  await t.rejects(gate.begin(1), { message: /cut off/ }, 'a member that is away begins nothing')
  tell({ kind: 'membership', absence: 'joining', head: null })
  t.equal(gate.applied, null, 'the log counts anew')
})

t.test('a call of another member waits no longer than bodies do', async (t) => {
  const { gate, head, tell } = openFleetScene(t, { hold: 1 })
  tell({ kind: 'membership', absence: null, head: headEntry(head.block.hash, 7) })
  await t.rejects(gate.begin(8), { kind: 'fleetAway', message: /about to change/ })
  gate.hold(7)
  await t.rejects(gate.begin(7), { kind: 'fleetAway', message: /about to change/ })
})

t.test('a member that is cut off answers by hash, and nothing that depends on the head', async (t) => {
  const { gate, ask, head, clock, lease, serve } = openFleetScene(t)
  const genesis = toHex(head.block.hash)
  const address = `0x${'22'.repeat(20)}`
  clock.now = HOUR
  t.equal(gate.absence, 'cutOff')
  for (const [method, params] of [
    ['eth_blockNumber', []],
    ['eth_getBalance', [address, 'latest']],
    ['eth_getBalance', [address, '0x0']],
    ['eth_getBalance', [address, { blockHash: genesis, requireCanonical: true }]],
    ['eth_getBalance', [address, { blockHash: 'no hash' }]],
    ['eth_getTransactionReceipt', [genesis]],
    ['eth_getLogs', [{ fromBlock: '0x0' }]],
    ['eth_getBlockByNumber', ['0x0', false]],
    ['eth_newBlockFilter', []],
    ['eth_sendRawTransaction', ['0x00']],
  ] as const) {
    t.match(error(await ask(request(method, params))), { code: -32000, message: /cut off/ }, method)
  }
  for (const [method, params] of [
    ['eth_getBlockByHash', [genesis, false]],
    ['eth_getBlockTransactionCountByHash', [genesis]],
    ['eth_getBalance', [address, { blockHash: genesis }]],
    ['eth_call', [{ to: address }, { blockHash: genesis }]],
    ['eth_getBlockByNumber', [genesis, false]],
    ['eth_getLogs', [{ blockHash: genesis }]],
    ['rsk_getRawBlockHeaderByHash', [genesis]],
    ['web3_clientVersion', []],
    ['net_version', []],
  ] as const) {
    t.not(result(await ask(request(method, params))), undefined, method)
  }
  const unknown = await ask(request('eth_getBlockByHash', [`0x${'33'.repeat(32)}`, false]))
  t.match(error(unknown), { code: -32000, message: /cut off/ }, 'others may know the block')
  const batch = await ask(`[${request('eth_blockNumber', [], 1)},${request('eth_chainId', [], 2)}]`)
  t.equal(batch.status, 200)
  const [refused, answered] = JSON.parse(batch.text) as [object, object]
  t.match(refused, { id: 1, error: { code: -32000 } })
  t.match(answered, { id: 2, result: '0x21' })
  t.match(error(await ask('{')), { code: -32700 })
  t.match(error(await ask(request('eth_nothing'))), { code: -32601 })
  // The lease is renewed.
  lease.deadline[0] = 2 * HOUR
  serve()
  t.equal(result(await ask(BLOCK_NUMBER)), '0x0')
})

t.test('a lease that ends between the begin of a request and its answer', async (t) => {
  const { ask, clock, head } = openFleetScene(t)
  const slow = { to: `0x${'44'.repeat(20)}` }
  // Workers answer later than this turn.
  const number = ask(request('eth_getBlockTransactionCountByNumber', ['latest']))
  const genesis = toHex(head.block.hash)
  const byHash = ask(request('eth_createAccessList', [slow, { blockHash: genesis }], 2))
  const batch = ask(`[${request('eth_getUncleCountByBlockNumber', ['latest'], 3)}]`)
  clock.now = HOUR
  t.match(error(await number), { code: -32000, message: /cut off/ })
  t.equal(error(await byHash), undefined)
  t.match((await batch).text, /^\[.*"code":-32000.*\]$/)
})

t.test('the answer to what was sent is given, whoever has the lease by then', async (t) => {
  const { ask, clock } = openFleetScene(t)
  const sent = ask(request('eth_sendRawTransaction', ['0x00']))
  clock.now = HOUR
  t.not(error(await sent)?.code, -32000)
})

t.test('what a poll told is answered, whoever has the lease by then: it is told once', (t) => {
  const { gate, clock } = openFleetScene(t)
  const params = '["0x1"]'
  clock.now = HOUR
  t.equal(gate.refusalAtWrite(getFilterChanges, params), null)
  t.match(gate.refusalAtWrite(getFilterLogs, params), { kind: 'fleetAway' })
  const sink: AnswerSink = () => undefined
  t.equal(gate.watch(getFilterChanges, params, '1', sink), sink)
  const away = gate.whyAway() as RpcError
  t.equal(gate.refusalOf(getFilterChanges, params, away), away, 'none is begun')
  t.end()
})

t.test('reasons of absence come and go with membership', async (t) => {
  const { gate, ask, clock, tell, serve } = openFleetScene(t)
  for (const absence of ['joining', 'draining', 'held', 'unsigned', 'cutOff'] as const) {
    tell({ kind: 'membership', absence, head: null })
    t.equal(gate.absence, absence)
    t.match(error(await ask(BLOCK_NUMBER)), { code: -32000 })
  }
  serve()
  t.equal(result(await ask(BLOCK_NUMBER)), '0x0')
  // Whoever waits for a member that goes is not left waiting.
  gate.hold(1)
  const waits = ask(BLOCK_NUMBER)
  tell({ kind: 'membership', absence: 'cutOff', head: null })
  t.match(error(await waits), { code: -32000 })
  tell({ kind: 'membership', absence: 'joining', head: null })
  clock.now = HOUR
  t.equal(gate.absence, 'joining', 'a member that never served is not cut off')
  tell({ kind: 'membership', absence: 'unsigned', head: null })
  t.equal(gate.absence, 'unsigned', 'a head without signatures is not served in isolation either')
})

t.test(
  'a member that stands on another head than the one that it is told to serve waits for it',
  async (t) => {
    const { ask, gate, mine, tell, tellHead } = openFleetScene(t)
    tell({ kind: 'membership', absence: 'joining', head: null })
    const hash = await mine()
    const head = { number: 1, hash, totalDifficulty: 1n, revision: 1, epoch: 1, leader: '', members: [] }
    tell({ kind: 'membership', absence: null, head })
    const waits = ask(BLOCK_NUMBER)
    t.equal(gate.waiting, 1)
    tellHead()
    t.equal(result(await waits), '0x1')
  },
)

t.test('--fleet-isolated serve: reads at the frozen head, no sends', async (t) => {
  const { gate, ask, clock, tell } = openFleetScene(t, { servesIsolated: true })
  t.equal(gate.isIsolated, false)
  clock.now = HOUR
  t.equal(gate.isIsolated, true)
  t.equal(result(await ask(BLOCK_NUMBER)), '0x0')
  t.equal(result(await ask(request('eth_getBlockTransactionCountByNumber', ['0x0']))), '0x0')
  t.match(error(await ask(request('eth_sendRawTransaction', ['0x00']))), { code: -32000, message: /cut off/ })
  tell({ kind: 'membership', absence: 'joining', head: null })
  t.match(error(await ask(BLOCK_NUMBER)), { code: -32000 }, 'only while it is cut off')
})

t.test('what waits is bounded by the memory of its client', async (t) => {
  const memory = new MemoryAccount(new MemoryTotal({ client: 4096, total: 0 }))
  const clocks = { now: () => 0, untilNextDay: () => 0, day: 0 }
  const caller = new Caller(
    'small',
    new Account('small', UNLIMITED, clocks, memory),
    new UsageCounts('small', 0, new Set()),
  )
  const { gate, ask, head, tell } = openFleetScene(t, { caller })
  gate.hold(1)
  const small = ask(BLOCK_NUMBER)
  const large = await ask(request('eth_call', [{ data: `0x${'00'.repeat(4096)}` }, 'latest'], 9))
  t.match(JSON.parse(large.text), { id: 9, error: { code: -32005, data: { limit: 'clientMemory' } } })
  t.equal(large.status, 429)
  tell({ kind: 'release', revision: 2, hash: head.block.hash })
  t.equal(result(await small), '0x0')
  t.equal(memory.used, 0)
})

t.test('a client that leaves while it waits is passed over', async (t) => {
  const { gate, ask, order, head, tell } = openFleetScene(t)
  gate.hold(1)
  const left: { gone?: boolean } = {}
  void ask(request('eth_blockNumber', [], 1), {}, left)
  const stays = ask(request('eth_blockNumber', [], 2))
  left.gone = true
  tell({ kind: 'release', revision: 2, hash: head.block.hash })
  await stays
  t.same(order, ['2'])
})

t.test('every method says what it has to do with the head', (t) => {
  const use = (name: string) => METHODS.find((method) => method.name === name)?.head
  for (const [name, expected] of [
    ['eth_blockNumber', 'head'],
    ['eth_getTransactionByHash', 'head'],
    ['eth_getFilterChanges', 'poll'],
    ['eth_getBalance', 'block'],
    ['eth_getLogs', 'block'],
    ['trace_block', 'block'],
    ['eth_getBlockByHash', 'block'],
    ['eth_chainId', 'none'],
    ['web3_sha3', 'none'],
    ['eth_syncing', 'none'],
    ['rsk_getFleetStatus', 'none'],
  ] as const) {
    t.equal(use(name), expected, name)
  }
  t.same(
    METHODS.filter(({ head }) => head === 'send')
      .map(({ name }) => name)
      .sort(),
    [
      'eth_sendRawTransaction',
      'eth_sendRawTransactionSync',
      'eth_sendTransaction',
      'personal_sendTransaction',
    ],
  )
  t.end()
})
