import { setImmediate as nextTurn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import {
  createFilterId,
  decodeFilterCall,
  encodeFilterCall,
  memberOfFilter,
} from '../../../src/fleet/filters/filterCall.ts'
import { FleetFilters } from '../../../src/fleet/filters/fleetFilters.ts'
import type { MemberId } from '../../../src/fleet/member.ts'
import { unlimitedCaller } from '../../../src/gateway/access/caller.ts'
import { RpcError } from '../../../src/rpc/errors.ts'
import { openHeadScene, request } from '../../support/headScene.ts'

const IDS = ['00000000000000aa', 'ffffffffffffffbb'] as const

/** What befalls a call between members. */
type Weather = (payload: Buffer) => 'good' | 'unheard' | 'unanswered'

interface Answer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

/** Two members whose front threads are in this thread, and the calls between them. */
function openMembers(t: Test) {
  const net = { weather: (() => 'good') as Weather, silent: 0, calls: 0, delivery: Promise.resolve() }
  const open = new Map<MemberId, FleetFilters>()
  const members = IDS.map((self) => {
    const asking = unlimitedCaller('fleet')
    let filters: FleetFilters | undefined
    const scene = openHeadScene(t, undefined, (create) => {
      filters = new FleetFilters({
        self,
        own: create(() => createFilterId(self)),
        call: async (member, payload) => {
          net.calls += 1
          const weather = net.weather(payload)
          if (payload.includes('delivered')) await net.delivery
          if (weather === 'unheard') throw new Error('late')
          const answer = await open.get(member)?.answer(Uint8Array.from(payload))
          if (weather === 'unanswered' || answer === undefined) throw new Error('late')
          return Uint8Array.from(answer)
        },
        silentFor: () => net.silent,
        ask: async (body) => Buffer.from((await scene.askAs(asking, body)).text),
        memory: asking.account.memory,
        failure: () => new RpcError('filterAway'),
      })
      return filters
    })
    open.set(self, filters as unknown as FleetFilters)
    const ask = async (method: string, ...params: unknown[]): Promise<Answer> =>
      JSON.parse((await scene.ask(request(method, params))).text) as Answer
    return { self, scene, ask, filters: filters as unknown as FleetFilters }
  })
  const [owner, other] = members as [(typeof members)[0], (typeof members)[0]]
  /** A block of the chain of the owner; its hash. */
  const mine = async (): Promise<string> => {
    const hash = await owner.scene.mine()
    const { chain } = owner.scene.core.open
    owner.filters.headChanged({ retracted: [], enacted: [chain.head] })
    owner.scene.reportHead()
    return `0x${hash.toString('hex')}`
  }
  return { net, owner, other, mine }
}

t.test('the id of a filter says which member made it', (t) => {
  for (const self of IDS) {
    const id = createFilterId(self)
    t.match(id, /^0x[1-9a-f][0-9a-f]{31}$/)
    t.equal(memberOfFilter(id), self)
    t.not(createFilterId(self), id)
  }
  t.equal(memberOfFilter('0x01'), null)
  t.end()
})

t.test('a filter is asked, read whole and removed at any member', async (t) => {
  const { net, owner, other, mine } = openMembers(t)
  const { result: blocks } = await owner.ask('eth_newBlockFilter')
  const { result: logs } = await owner.ask('eth_newFilter', { fromBlock: '0x0' })
  const hashes = [await mine(), await mine()]
  t.same((await other.ask('eth_getFilterChanges', blocks)).result, hashes)
  t.same((await other.ask('eth_getFilterChanges', blocks)).result, [])
  t.same((await owner.ask('eth_getFilterChanges', blocks)).result, [])
  hashes.push(await mine())
  t.same((await owner.ask('eth_getFilterChanges', blocks)).result, hashes.slice(2), 'at home as well')
  t.same((await other.ask('eth_getFilterLogs', blocks)).result, hashes)
  const own = await owner.ask('eth_getFilterLogs', logs)
  t.ok(Array.isArray(own.result))
  t.same((await other.ask('eth_getFilterLogs', logs)).result, own.result)
  t.same((await other.ask('eth_getFilterChanges', logs)).error, undefined)
  t.equal((await other.ask('eth_uninstallFilter', blocks)).result, true)
  t.equal((await other.ask('eth_uninstallFilter', blocks)).result, false)
  t.match((await other.ask('eth_getFilterChanges', blocks)).error, {
    code: -32000,
    message: 'filter not found',
  })
  t.match((await owner.ask('eth_getFilterChanges', blocks)).error, {
    code: -32000,
    message: 'filter not found',
  })
  const { calls } = net
  await owner.ask('eth_getFilterChanges', logs)
  t.equal(net.calls, calls, 'nobody is asked for an own filter')
})

t.test('a poll whose answer is lost loses nothing, whoever asks next', async (t) => {
  const { net, owner, other, mine } = openMembers(t)
  const { result: first } = await owner.ask('eth_newBlockFilter')
  const { result: second } = await owner.ask('eth_newPendingTransactionFilter')
  const { result: third } = await owner.ask('eth_newFilter', {})
  const one = await mine()
  net.weather = () => 'unanswered'
  for (const filter of [first, second, third])
    t.match((await other.ask('eth_getFilterChanges', filter)).error, { code: -32005 })
  const two = await mine()
  net.weather = () => 'good'
  t.same((await other.ask('eth_getFilterChanges', first)).result, [one, two])
  t.same((await other.ask('eth_getFilterChanges', first)).result, [])

  const three = await mine()
  net.weather = () => 'unanswered'
  await other.ask('eth_getFilterChanges', first)
  t.same((await owner.ask('eth_getFilterChanges', first)).result, [three], 'at home as well')

  const four = await mine()
  net.weather = (payload) => (payload.includes('delivered') ? 'unheard' : 'good')
  t.same((await other.ask('eth_getFilterChanges', first)).result, [four])
  net.weather = () => 'good'
  t.same((await other.ask('eth_getFilterChanges', first)).result, [four], 'told again, and not lost')
  t.same((await other.ask('eth_getFilterChanges', first)).result, [])
})

t.test(
  'a client has its answer once the owner knows that it came: the next poll, anywhere, tells what follows',
  async (t) => {
    const { net, owner, other, mine } = openMembers(t)
    const { result: filter } = await owner.ask('eth_newBlockFilter')
    const one = await mine()
    let hear = () => undefined as undefined
    net.delivery = new Promise((resolve) => {
      hear = () => void resolve()
    })
    let isAnswered = false
    const poll = other.ask('eth_getFilterChanges', filter).then(({ result }) => {
      isAnswered = true
      return result
    })
    for (let turn = 0; turn < 20; turn += 1) await nextTurn()
    t.notOk(isAnswered)
    const two = await mine()
    hear()
    t.same(await poll, [one])
    t.same((await owner.ask('eth_getFilterChanges', filter)).result, [two])
  },
)

t.test('the same poll is answered the same, however often it is asked', async (t) => {
  const { owner, other, mine } = openMembers(t)
  const { result } = await owner.ask('eth_newBlockFilter')
  const id = result as string
  const poll = (at: number) => {
    const call = encodeFilterCall({ what: 'eth_getFilterChanges', id, poll: at.toString().repeat(16) })
    return owner.filters.answer(call).then((answer) => Buffer.from(answer).toString())
  }
  const delivered = (at: number) =>
    owner.filters.answer(encodeFilterCall({ what: 'delivered', id, poll: at.toString().repeat(16) }))
  const one = await mine()
  const first = poll(1)
  const again = poll(1)
  const two = await mine()
  t.match(await first, one)
  t.equal(await again, await first)
  t.equal(await poll(1), await first, 'without what came since')
  await delivered(1)
  t.same((await other.ask('eth_getFilterChanges', id)).result, [two], 'which is not lost by that')
  const three = await mine()
  t.match(await poll(2), three)
  await delivered(1)
  t.match(await poll(3), three, 'another poll was delivered')
  await delivered(3)
  t.notMatch(await poll(4), three)
})

t.test('a member that is away: ask again for ten seconds, then the filter is gone', async (t) => {
  const { net, owner, other } = openMembers(t)
  const { result: filter } = await owner.ask('eth_newBlockFilter')
  net.weather = () => 'unheard'
  const away = { code: -32005, message: 'the node that has the filter does not answer, try again' }
  t.match((await other.ask('eth_getFilterChanges', filter)).error, away)
  t.equal(net.calls, 1)
  net.silent = 9999
  const answer = await other.scene.ask(request('eth_getFilterChanges', [filter]))
  t.equal(answer.status, 200, 'no balancer has to ask elsewhere')
  t.match((await other.ask('eth_getFilterLogs', filter)).error, away)
  t.match((await other.ask('eth_uninstallFilter', filter)).error, away)
  t.equal(net.calls, 1, 'nobody waits for a member that is not heard')
  net.silent = 10_001
  t.match((await other.ask('eth_getFilterChanges', filter)).error, {
    code: -32000,
    message: 'filter not found',
  })
  t.match((await other.ask('eth_getFilterLogs', filter)).error, { code: -32000 })
  t.equal((await other.ask('eth_uninstallFilter', filter)).result, false)
  t.same((await owner.ask('eth_getFilterChanges', filter)).result, [], 'it lives where it was made')
})

t.test('what is no filter of anybody, and what does not parse', async (t) => {
  const { net, owner, other } = openMembers(t)
  t.match((await other.ask('eth_getFilterChanges', createFilterId(owner.self))).error, { code: -32000 })
  net.silent = Number.POSITIVE_INFINITY
  t.match((await other.ask('eth_getFilterChanges', `0x${'1'.repeat(32)}`)).error, { code: -32000 })
  const rubbish = ['', 'null', '[]', '{}', '{"what":"eth_call"}', 'x'.repeat(300)]
  for (const text of [
    ...rubbish,
    JSON.stringify({ what: 'eth_sendTransaction', id: createFilterId(owner.self) }),
  ])
    t.throws(() => decodeFilterCall(Buffer.from(text)), /does not parse/, text.slice(0, 30))
  net.silent = 0
  const bad = new FleetFilters({
    self: owner.self,
    own: owner.filters,
    call: async () => Buffer.from('rubbish'),
    silentFor: () => 0,
    ask: async () => Buffer.alloc(0),
    memory: unlimitedCaller('fleet').account.memory,
    failure: () => new RpcError('filterAway'),
  })
  await t.rejects(Promise.resolve(bad.poll(createFilterId(other.self))), /does not answer/)
})
