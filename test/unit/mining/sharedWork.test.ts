import { setImmediate } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { Block } from '../../../src/chain/codec/block.ts'
import type { MiningWork } from '../../../src/mining/interface.ts'
import { WorkCache } from '../../../src/mining/workCache.ts'
import { WorkServer } from '../../../src/mining/workServer.ts'
import { encodeTemplate, LARGEST_TEMPLATE, parseTemplate } from '../../../src/mining/workTemplate.ts'
import { BitcoinPool, blockHex } from '../../support/bitcoinPool.ts'
import { openPoolNode } from '../../support/poolNode.ts'
import { createRandom } from '../../support/random.ts'
import { testFolder } from '../../support/testFolder.ts'

/** A stream whose acknowledgements and deliveries a test gives. */
function openStream() {
  const sent: Buffer[] = []
  let waiting: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] = []
  let asks = 0
  return {
    sent,
    asks: () => asks,
    sharing: {
      publish: (template: Buffer) => {
        sent.push(template)
        return new Promise<void>((resolve, reject) => waiting.push({ resolve, reject }))
      },
      ask: () => {
        asks += 1
      },
    },
    acknowledge: async () => {
      for (const { resolve } of waiting) resolve()
      waiting = []
      await setImmediate()
    },
    refuse: async () => {
      for (const { reject } of waiting) reject(new Error('no quorum'))
      waiting = []
      await setImmediate()
    },
  }
}

/** A work server of a member over a node of its own. */
function openMember(t: Test, stream: ReturnType<typeof openStream>) {
  const node = openPoolNode(t, { dataDir: testFolder(t) })
  const { chain } = node.core.open
  const connected: Block[] = []
  const announced: MiningWork[] = []
  const failures: unknown[] = []
  const clock = { now: 1_700_000_000_000 }
  const server = new WorkServer({
    options: { refreshTime: 10_000, onTransactions: true, submissionInterval: 0, notifyFees: 0n },
    listener: {
      onWork: (work) => announced.push(work),
      onSubmission: () => undefined,
      onFailure: (error) => failures.push(error),
    },
    build: () => node.core.pendingBlock().block,
    isProven: () => true,
    connect: (block) => {
      connected.push(block)
      return { status: 'IMPORTED_BEST' }
    },
    now: () => clock.now,
    shared: { sharing: stream.sharing, spec: node.core.spec, head: () => chain.head.hash },
  })
  t.teardown(() => server.stop())
  return { node, server, connected, announced, failures, clock }
}

const solve = (work: MiningWork) => {
  const target = BigInt(`0x${work.target.toString('hex')}`)
  return new BitcoinPool('/fleet/', createRandom(1)).mine(work.hashForMergedMining, target, 1)
}

t.test('work is handed out when the others can have it, and a solution counts at any of them', async (t) => {
  const stream = openStream()
  const leader = openMember(t, stream)
  const member = openMember(t, stream)
  leader.server.setBuilder(true)
  let given: MiningWork | null = null
  const asked = Promise.resolve(leader.server.work()).then((work) => {
    given = work
    return work
  })
  const again = Promise.resolve(leader.server.work())
  await setImmediate()
  t.equal(given, null, 'not before the acknowledgement')
  t.same(leader.announced, [])
  t.equal(stream.sent.length, 1, 'who asks meanwhile waits for the same')
  await stream.acknowledge()
  const work = await asked
  t.equal(await again, work)
  t.same(leader.announced, [work])

  member.server.receive(stream.sent[0] as Buffer)
  const same = await member.server.work()
  t.same({ ...same, serial: 0 }, { ...work, serial: 0 })
  const solution = solve(same)
  const outcome = member.server.submit({ kind: 'block', block: blockHex(solution) })
  t.match(outcome, { status: 'imported', word: 'IMPORTED_BEST', number: 1 })
  t.equal(member.connected.length, 1)
  t.match(leader.server.submit({ kind: 'block', block: blockHex(solution) }), {
    status: 'imported',
    hash: member.connected[0]?.hash,
  })
})

t.test('work that the others may not have is an error, and is built again', async (t) => {
  const stream = openStream()
  const { server, failures } = openMember(t, stream)
  server.setBuilder(true)
  const asked = Promise.resolve(server.work())
  asked.catch(() => undefined)
  await stream.refuse()
  await t.rejects(asked, { message: 'no quorum' })
  const next = Promise.resolve(server.work())
  await stream.acknowledge()
  t.ok(await next)
  t.equal(stream.sent.length, 2)
  server.headChanged()
  await stream.refuse()
  t.equal(failures.length, 1, 'nobody waits for the work on a new head')
})

t.test('a member that does not build asks for work and waits for it', async (t) => {
  const stream = openStream()
  const leader = openMember(t, stream)
  const member = openMember(t, stream)
  const asked = Promise.resolve(member.server.work())
  t.equal(stream.asks(), 1)
  member.server.headChanged()
  t.equal(stream.sent.length, 0, 'it builds nothing')
  leader.server.setBuilder(true)
  const built = Promise.resolve(leader.server.work())
  await stream.acknowledge()
  member.server.receive(stream.sent[0] as Buffer)
  t.same((await asked).hashForMergedMining, (await built).hashForMergedMining)
  member.clock.now += 20_000
  await member.server.work()
  t.equal(stream.asks(), 2, 'old work is asked for anew')
  leader.server.receive(stream.sent[0] as Buffer)
  t.equal(leader.announced.length, 1, 'its own template is no news')
  member.server.setBuilder(true)
  t.equal(stream.sent.length, 2, 'who builds from now on does so at once')
  await stream.acknowledge()
})

t.test('whoever waits hears of the end', async (t) => {
  const { server } = openMember(t, openStream())
  const asked = Promise.resolve(server.work())
  asked.catch(() => undefined)
  server.stop()
  await t.rejects(asked, { code: 'NO_WORK' })
})

t.test('templates are the same block, and what is none is refused', async (t) => {
  const { core } = openPoolNode(t, { dataDir: testFolder(t) })
  const { block } = core.pendingBlock()
  const template = encodeTemplate({ block, notify: true })
  const parsed = parseTemplate(core.spec, template)
  t.same(parsed.block.header.hashForMergedMining(), block.header.hashForMergedMining())
  t.equal(parsed.notify, true)
  t.throws(() => parseTemplate(core.spec, Buffer.alloc(0)), RangeError)
  t.throws(() => parseTemplate(core.spec, Buffer.from([1, 200, 3])), RangeError)
  t.throws(() => parseTemplate(core.spec, Buffer.alloc(LARGEST_TEMPLATE + 1)), RangeError)
  t.throws(() => parseTemplate(core.spec, template.subarray(0, template.length - 1)))
})

t.test('templates of others are kept within their bytes, the newest in any case', (t) => {
  const cache = new WorkCache()
  const block = {} as Block
  const hash = (value: number) => Buffer.alloc(32, value)
  cache.add(hash(1), { block, builtAt: 1, bytes: 40 * 1024 * 1024 })
  cache.add(hash(2), { block, builtAt: 2, bytes: 40 * 1024 * 1024 })
  t.equal(cache.get(hash(1)), undefined)
  cache.add(hash(3), { block, builtAt: 3, bytes: 80 * 1024 * 1024 })
  t.equal(cache.get(hash(2)), undefined)
  t.equal(cache.get(hash(3))?.builtAt, 3)
  for (let value = 4; value < 30; value += 1) cache.add(hash(value), { block, builtAt: value })
  t.equal(cache.get(hash(9)), undefined)
  t.ok(cache.get(hash(10)))
  t.end()
})
