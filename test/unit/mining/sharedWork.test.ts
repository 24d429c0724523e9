import t, { type Test } from 'tap'
import { Block } from '../../../src/chain/codec/block.ts'
import type { MiningWork } from '../../../src/mining/interface.ts'
import { WorkCache } from '../../../src/mining/workCache.ts'
import { WorkServer } from '../../../src/mining/workServer.ts'
import { encodeTemplate, MAX_TEMPLATE_BYTES, parseTemplate } from '../../../src/mining/workTemplate.ts'
import { BitcoinPool, blockHex } from '../../support/bitcoinPool.ts'
import { openPoolNode } from '../../support/poolNode.ts'
import { createRandom } from '../../support/random.ts'
import { testFolder } from '../../support/testFolder.ts'

const REFRESH = 10_000
/** Of all blocks that are built here: no two are alike. */
let serial = 0

/** The work server of a member over a node of its own; what it tells goes nowhere by itself. */
function openMember(t: Test) {
  const node = openPoolNode(t, { dataDir: testFolder(t) })
  const { chain } = node.core.open
  const told: Buffer[] = []
  const connected: Block[] = []
  const announced: MiningWork[] = []
  const clock = { now: 1_700_000_000_000 }
  const parent = { hash: chain.best.hash }
  let built = 0
  const server = new WorkServer({
    options: { refreshTime: REFRESH, onTransactions: true, submissionInterval: 0, notifyFees: 0n },
    listener: {
      onWork: (work) => announced.push(work),
      onSubmission: () => undefined,
      onFailure: (error) => t.fail(String(error)),
    },
    build: () => {
      built += 1
      serial += 1
      const { header, transactions, uncles } = node.core.pendingBlock().block
      const own = header.with({
        timestamp: header.fields.timestamp + BigInt(serial),
        parentHash: parent.hash,
      })
      return new Block(own, transactions, uncles)
    },
    isProven: () => true,
    connect: (block) => {
      connected.push(block)
      return { status: 'IMPORTED_BEST' }
    },
    now: () => clock.now,
    shared: {
      sharing: { announce: (template) => told.push(template) },
      spec: node.core.spec,
      best: () => parent.hash,
    },
  })
  t.teardown(() => server.stop())
  return { node, server, told, connected, announced, clock, parent, built: () => built }
}

const solve = (work: MiningWork) => {
  const target = BigInt(`0x${work.target.toString('hex')}`)
  return new BitcoinPool('/fleet/', createRandom(1)).mine(work.hashForMergedMining, target, 1)
}
const hashOf = ({ hashForMergedMining }: MiningWork) => hashForMergedMining.toString('hex')

t.test(
  'a told template is handed out in place of an own one, and its solution counts anywhere',
  async (t) => {
    const first = openMember(t)
    const second = openMember(t)
    const work = first.server.work()
    t.equal(first.told.length, 1, 'it is told when it is built')
    second.server.receive('first', first.told[0] as Buffer)
    t.same(second.announced, [], 'nobody asks there')
    const same = second.server.work()
    t.equal(hashOf(same), hashOf(work))
    t.equal(second.built(), 0, 'it builds nothing')
    t.equal(second.told.length, 0, 'and tells nobody of what it was told')
    t.match(second.server.submit({ kind: 'block', block: blockHex(solve(same)) }), {
      status: 'imported',
      word: 'IMPORTED_BEST',
      number: 1,
    })
    t.equal(second.connected.length, 1)
    t.match(first.server.submit({ kind: 'block', block: blockHex(solve(same)) }), {
      status: 'imported',
      hash: second.connected[0]?.hash,
    })
  },
)

t.test('old work of others, and work on another block, is not handed out', async (t) => {
  const first = openMember(t)
  const second = openMember(t)
  const old = first.server.work()
  second.server.receive('first', first.told[0] as Buffer)
  second.clock.now += REFRESH
  const own = second.server.work()
  t.not(hashOf(own), hashOf(old))
  t.equal(second.built(), 1)
  first.parent.hash = Buffer.alloc(32, 1)
  first.server.headChanged()
  t.equal(first.told.length, 2)
  second.server.receive('first', first.told[1] as Buffer)
  t.equal(hashOf(second.server.work()), hashOf(own))
  second.parent.hash = first.parent.hash
  second.server.headChanged()
  t.equal(hashOf(second.server.work()), hashOf(first.server.work()), 'it was there before the block')
  t.equal(second.built(), 1)
  t.match(
    second.server.submit({ kind: 'block', block: blockHex(solve(old)) }),
    { status: 'imported' },
    'a solution of the old one counts',
  )
})

t.test('members that build at once come to the same work, and miners are told once', async (t) => {
  const members = [openMember(t), openMember(t), openMember(t)]
  for (const { server } of members) server.work()
  for (const [from, { told }] of members.entries())
    for (const [to, { server }] of members.entries())
      if (from !== to) server.receive(`m${from}`, told[0] as Buffer)
  const works = members.map(({ server }) => hashOf(server.work()))
  t.equal(new Set(works).size, 1)
  for (const { announced } of members)
    t.equal(announced.filter(({ notify }) => notify).length, 1, 'one notice for one parent')
  for (const { server, built } of members) {
    const before = built()
    server.headChanged()
    t.equal(built(), before, 'a block that is adopted later is no new parent')
    server.changed()
    t.equal(built(), before + 1, 'what blocks are made of changed')
  }
})

t.test('templates are the same block, and what is none is refused', async (t) => {
  const { core } = openPoolNode(t, { dataDir: testFolder(t) })
  const { block } = core.pendingBlock()
  const template = encodeTemplate(block)
  t.same(parseTemplate(core.spec, template).header.hashForMergedMining(), block.header.hashForMergedMining())
  t.throws(() => parseTemplate(core.spec, Buffer.alloc(0)), RangeError)
  t.throws(() => parseTemplate(core.spec, Buffer.from([200, 3])), RangeError)
  t.throws(() => parseTemplate(core.spec, Buffer.alloc(MAX_TEMPLATE_BYTES + 1)), RangeError)
  t.throws(() => parseTemplate(core.spec, template.subarray(0, template.length - 1)))
  const { server } = openMember(t)
  t.throws(() => server.receive('m1', Buffer.from('rubbish')))
})

t.test('the last 32 templates of each member are kept within their bytes, the newest in any case', (t) => {
  const cache = new WorkCache(true)
  const block = {} as Block
  const hash = (value: number) => Buffer.alloc(32, value)
  for (let value = 1; value <= 40; value += 1) cache.add(hash(value), { block, builtAt: value, from: 'm1' })
  for (let value = 41; value <= 80; value += 1) cache.add(hash(value), { block, builtAt: value })
  t.equal(cache.get(hash(8)), undefined)
  t.ok(cache.get(hash(9)), 'another builder takes no place')
  t.equal(cache.get(hash(48)), undefined)
  t.ok(cache.get(hash(49)))
  const large = { block, builtAt: 1, bytes: 40 * 1024 * 1024 }
  cache.add(hash(101), { ...large, from: 'm2' })
  cache.add(hash(102), { ...large, from: 'm3' })
  t.equal(cache.get(hash(101)), undefined)
  cache.add(hash(103), { ...large, bytes: 80 * 1024 * 1024, from: 'm4' })
  t.equal(cache.get(hash(102)), undefined)
  t.ok(cache.get(hash(103)))
  const alone = new WorkCache(false)
  for (let value = 1; value <= 21; value += 1) alone.add(hash(value), { block, builtAt: value })
  t.equal(alone.get(hash(1)), undefined)
  t.ok(alone.get(hash(2)), 'twenty at a node alone (mining.md §2)')
  t.end()
})
