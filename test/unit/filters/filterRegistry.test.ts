import t from 'tap'
import type { BlockReference } from '../../../src/chain/tables/blockKey.ts'
import { FilterRegistry } from '../../../src/filters/filterRegistry.ts'
import type { LogFilterRequest } from '../../../src/filters/filters.ts'

const block = (number: number, branch = 0): BlockReference => ({
  number,
  hash: Buffer.from([number, branch]),
})
const pending = (number: number) => ({
  hash: Buffer.from([number]),
  encoded: Buffer.alloc(0),
  sender: Buffer.alloc(20),
})
const LOGS: LogFilterRequest = {
  criteria: { addresses: [], topics: [] },
  from: null,
  to: null,
  blockHash: null,
  query: '{}',
}

function open(most = 10) {
  const clock = { now: 0 }
  const registry = new FilterRegistry({ timeout: 1000, most }, () => clock.now)
  const hashes = (handle: string | null) => {
    const changes = registry.poll(handle ?? '')
    return changes?.kind === 'hashes' ? changes.hashes.map((hash) => hash.toString('hex')) : null
  }
  const blocks = (handle: string | null) => {
    const changes = registry.poll(handle ?? '')
    if (changes?.kind !== 'logs') return null
    return changes.blocks.map(({ number, hash, removed }) => `${removed ? '-' : '+'}${number}.${hash[1]}`)
  }
  return { clock, registry, hashes, blocks }
}

t.test('a poll gives what came since the last one, the first what came since the creation', async (t) => {
  const { registry, hashes, blocks } = open()
  registry.headChanged({ retracted: [], enacted: [block(1)] })
  const byBlock = registry.installBlocks()
  const byLog = registry.installLogs(LOGS)
  t.same(hashes(byBlock), [])
  registry.headChanged({ retracted: [], enacted: [block(2)] })
  registry.headChanged({ retracted: [block(2)], enacted: [block(2, 1), block(3, 1)] })
  t.same(hashes(byBlock), ['0200', '0201', '0301'])
  t.same(hashes(byBlock), [])
  t.same(blocks(byLog), ['+2.0', '-2.0', '+2.1', '+3.1'])
  t.same(blocks(byLog), [])
})

t.test('a rewind takes back what a filter told of, or showed, and nothing else', (t) => {
  const { registry, blocks } = open()
  registry.headChanged({ retracted: [], enacted: [block(1), block(2), block(3)] })
  const rewind = (...numbers: number[]) =>
    registry.headChanged({ retracted: numbers.map((number) => block(number)), enacted: [] })
  const [early, shown, late] = [1, 2, 3].map(() => registry.installLogs(LOGS) ?? '')
  registry.headChanged({ retracted: [], enacted: [block(4)] })
  t.same(blocks(late ?? ''), ['+4.0'])
  registry.content(shown ?? '')
  rewind(4, 3)
  t.same(blocks(early ?? ''), ['+4.0', '-4.0'])
  t.same(blocks(shown ?? ''), ['+4.0', '-4.0', '-3.0'])
  const lost = registry.poll(late ?? '')
  if (lost?.kind === 'logs') lost.undo()
  t.same(blocks(late ?? ''), ['-4.0'], 'the same after a poll that was taken back')
  registry.headChanged({ retracted: [], enacted: [block(3, 1)] })
  registry.headChanged({ retracted: [block(3, 1)], enacted: [block(3, 2), block(4, 2)] })
  rewind(2)
  for (const handle of [early, late]) t.same(blocks(handle ?? ''), ['+3.1', '-3.1', '+3.2', '+4.2'])
  t.same(blocks(shown ?? ''), ['+3.1', '-3.1', '+3.2', '+4.2', '-2.0'])
  registry.headChanged({ retracted: [block(1)], enacted: [block(1, 1), block(2, 1)] })
  t.same(blocks(late ?? ''), ['-1.0', '+1.1', '+2.1'], 'a reorganisation is told of as it is')
  t.end()
})

t.test('pending transactions and the content of filters', async (t) => {
  const { registry, hashes } = open()
  const byPending = registry.installPending() ?? ''
  const byLog = registry.installLogs({ ...LOGS, query: '{"fromBlock":"0x1"}' }) ?? ''
  registry.pendingAdded([pending(1), pending(2)])
  t.same(hashes(byPending), ['01', '02'])
  registry.pendingAdded([pending(3)])
  t.same(hashes(byPending), ['03'])
  t.same(registry.content(byPending), {
    kind: 'hashes',
    hashes: [Buffer.from([1]), Buffer.from([2]), Buffer.from([3])],
  })
  t.same(registry.content(byLog), { kind: 'logs', query: '{"fromBlock":"0x1"}' })
})

t.test('bounds and block hash of a log filter', async (t) => {
  const { registry, blocks } = open()
  const bounded = registry.installLogs({ ...LOGS, from: 2, to: 3 })
  const single = registry.installLogs({ ...LOGS, blockHash: block(4).hash })
  registry.headChanged({ retracted: [], enacted: [1, 2, 3, 4].map((number) => block(number)) })
  registry.headChanged({ retracted: [block(4), block(3)], enacted: [block(3, 1)] })
  t.same(blocks(bounded), ['+2.0', '+3.0', '-3.0', '+3.1'])
  t.same(blocks(single), ['+4.0', '-4.0'])
})

t.test('a poll whose logs were not delivered is taken back, unless somebody polled behind it', async (t) => {
  const { registry, blocks } = open()
  const handle = registry.installLogs(LOGS) ?? ''
  registry.headChanged({ retracted: [], enacted: [block(1)] })
  const lost = registry.poll(handle)
  if (lost?.kind === 'logs') lost.undo()
  t.same(blocks(handle), ['+1.0'])
  registry.headChanged({ retracted: [], enacted: [block(2)] })
  const late = registry.poll(handle)
  registry.headChanged({ retracted: [], enacted: [block(3)] })
  t.same(blocks(handle), ['+3.0'])
  if (late?.kind === 'logs') late.undo()
  t.same(blocks(handle), [])
})

t.test('filters end after their time, by hand, and are not made beyond the limit', async (t) => {
  const { clock, registry, hashes } = open(2)
  const first = registry.installBlocks() ?? ''
  const second = registry.installPending() ?? ''
  t.equal(registry.installBlocks(), null)
  t.match(first, /^0x[1-9a-f][0-9a-f]{31}$/)
  t.not(first, second)
  clock.now = 999
  t.same(hashes(first), [])
  clock.now = 1500
  t.equal(hashes(second), null, 'over its time')
  t.same(hashes(first), [], 'renewed by the poll')
  t.ok(registry.installBlocks())
  clock.now = 10_000
  registry.headChanged({ retracted: [], enacted: [] })
  t.equal(registry.size, 0, 'those over their time go without being asked for')
  const third = registry.installBlocks() ?? ''
  t.equal(registry.uninstall(third), true)
  t.equal(registry.uninstall(third), false)
  t.equal(registry.poll(third), null)
})

t.test('a filter that fell behind what is kept is removed instead of leaving a gap', async (t) => {
  const { registry, hashes } = open()
  const handle = registry.installBlocks()
  for (let number = 0; number < 50; number += 1) {
    registry.headChanged({ retracted: [], enacted: Array.from({ length: 1000 }, (_, index) => block(index)) })
  }
  t.equal(hashes(handle), null)
  const fresh = registry.installLogs(LOGS)
  registry.headChanged({ retracted: [], enacted: Array.from({ length: 2500 }, (_, index) => block(index)) })
  const sizes = [0, 0, 0].map(() => {
    const changes = registry.poll(fresh ?? '')
    return changes?.kind === 'logs' ? changes.blocks.length : -1
  })
  t.same(sizes, [2000, 500, 0], 'a log filter is told of 2,000 blocks at once')
})
