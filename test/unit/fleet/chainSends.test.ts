import { MessageChannel } from 'node:worker_threads'
import t, { type Test } from 'tap'
import type { FleetChainEvent, FleetChainService, FleetPublisher } from '../../../src/fleet/interface.ts'
import { ADMITTED, createSharedLog, STABLE } from '../../../src/fleet/log/sharedLog.ts'
import { createChainService } from '../../../src/node/chainThread/chainThreadService.ts'
import { FleetSends } from '../../../src/node/chainThread/fleetSends.ts'
import { createFleetService } from '../../../src/node/chainThread/fleetService.ts'
import { createSyncService } from '../../../src/node/chainThread/syncService.ts'
import { RpcError } from '../../../src/rpc/errors.ts'
import { createProxy, serve } from '../../../src/workers/proxy.ts'
import { BlockMaker } from '../../support/blockMaker.ts'
import { openMember, TestLog, type TestMember } from '../../support/fleetChain.ts'
import { openLocalNode } from '../../support/localNode.ts'
import { REGTEST } from '../../support/openTestChain.ts'
import { accountOfSeed, STRANGER, signedTransaction } from '../../support/signedTransaction.ts'
import { testFolder } from '../../support/testFolder.ts'

/** A member that reads the log as soon as something is in it. */
function openReader(t: Test, log: TestLog): TestMember {
  const member = openMember(t, {}, { log })
  log.onEntry = (entry) => {
    // Not in the same turn: it comes over the network.
    setImmediate(() => void member.service.admit([entry]))
  }
  return member
}

t.test('a transaction is in the log before it is accepted, and in the pool', async (t) => {
  const log = new TestLog()
  const { core, fleet } = openReader(t, log)
  const sent = [0n, 1n, 2n].map((nonce) => signedTransaction({ nonce }))
  const outcomes = await Promise.all(sent.map(({ encoded }) => core.sendTransaction(encoded)))
  t.same(
    outcomes,
    sent.map(({ hash }) => ({ status: 'accepted', hash })),
  )
  t.same(
    log.entries.map(({ encoded }) => encoded),
    sent.map(({ encoded }) => encoded),
  )
  t.equal(core.pool.pendingCount, 3)
  t.equal(core.journaled, 3)
  t.equal([...core.pool.pending()][0]?.addedAt, log.time, 'at the time of the log')
  t.equal(fleet.sends.signedHere(sent[0]?.hashHex ?? ''), undefined, 'nothing of it is kept')
})

t.test('what the pool refuses is refused with the same words, and not published', async (t) => {
  const alone = openLocalNode(t, {
    dataDir: testFolder(t),
    mining: false,
    accountQuota: true,
    accountSlots: 16,
  })
  const log = new TestLog()
  const member = openMember(t, { accountQuota: true, accountSlots: 16 }, { log })
  log.onEntry = (entry) => setImmediate(() => void member.service.admit([entry]))
  const newcomer = accountOfSeed('cow5')
  const given = [
    signedTransaction({ nonce: 0n, gasPrice: 100n }),
    signedTransaction({ nonce: 0n, gasPrice: 101n }),
    signedTransaction({ nonce: 100n }),
    signedTransaction({ from: STRANGER }),
    signedTransaction({ chainId: 30 }),
    signedTransaction({ nonce: 1n, value: 10n ** 40n }),
    signedTransaction({ nonce: 1n, gasPrice: 10n ** 40n }),
    signedTransaction({ nonce: 1n, gasLimit: 20_000n }),
    signedTransaction({ nonce: 1n, gasLimit: 10n ** 9n }),
    signedTransaction({ nonce: 1n, data: Buffer.alloc(140_000) }),
    signedTransaction({ from: newcomer, nonce: 0n, gasLimit: 6_000_000n }),
    signedTransaction({ from: newcomer, nonce: 1n, gasLimit: 6_000_000n }),
  ]
  let refused = 0
  for (const { encoded } of given) {
    const expected = await alone.core.sendTransaction(encoded)
    const found = await member.core.sendTransaction(encoded)
    if (expected.status === 'refused' && found.status === 'refused') {
      refused += 1
      t.equal(found.reason, expected.reason)
    } else {
      t.same(found, expected)
    }
  }
  t.equal(refused, given.length - 2)
  t.equal(log.entries.length, 2)
  await t.rejects(member.core.sendTransaction(Buffer.from('c0', 'hex')), 'as on a node alone')
  await t.rejects(alone.core.sendTransaction(Buffer.from('c0', 'hex')))
})

t.test('a transaction that is sent again has the outcome of the first time', async (t) => {
  const log = new TestLog()
  const { core, service } = openReader(t, log)
  const { encoded, hash } = signedTransaction()
  const accepted = { status: 'accepted', hash }
  t.same(await Promise.all([core.sendTransaction(encoded), core.sendTransaction(encoded)]), [
    accepted,
    accepted,
  ])
  t.same(await core.sendTransaction(encoded), accepted)
  t.equal(log.entries.length, 1)

  // The log refuses what this member's pool had nothing against: another came first.
  const [first, second] = [5n, 6n].map((gasPrice) => signedTransaction({ nonce: 1n, gasPrice }))
  const raced = core.sendTransaction(second?.encoded ?? Buffer.alloc(0))
  log.onEntry = () => undefined
  const reply = service.admit([
    { sequence: 100, time: log.time, encoded: first?.encoded ?? Buffer.alloc(0) },
    { sequence: 101, time: log.time, encoded: second?.encoded ?? Buffer.alloc(0) },
  ])
  const refusal = (await reply)[1]
  t.match(refusal, { status: 'refused', reason: 'gas price not enough to bump transaction' })
  t.same(await raced, refusal)
  t.same(
    await service.admit([{ sequence: 102, time: log.time, encoded: second?.encoded ?? Buffer.alloc(0) }]),
    [refusal],
    'also when the log has it twice',
  )
})

t.test(
  'a transaction that was refused, or left the pool, is judged anew when it is sent again',
  async (t) => {
    const log = new TestLog()
    const { core, service } = openReader(t, log)
    const { encoded, hash } = signedTransaction()
    await core.sendTransaction(encoded)
    core.pool.evict(hash.toString('hex'))
    t.equal(core.pool.pendingCount, 0)
    t.same(await core.sendTransaction(encoded), { status: 'accepted', hash })
    t.equal(core.pool.pendingCount, 1)
    t.equal(log.entries.length, 2)

    // Another one is in its way when the log tells of it, and goes.
    const [first, second] = [5n, 6n].map((gasPrice) => signedTransaction({ nonce: 1n, gasPrice }))
    const late = second?.encoded ?? Buffer.alloc(0)
    const onEntry = log.onEntry
    log.onEntry = () => undefined
    log.append(first?.encoded ?? Buffer.alloc(0))
    const raced = core.sendTransaction(late)
    while (log.entries.length < 4) await new Promise((resolve) => setImmediate(resolve))
    await service.admit(log.entries.slice(2))
    t.match(await raced, { status: 'refused' })
    t.match(await core.sendTransaction(late), { status: 'refused' }, 'by the pool as it is')
    core.pool.evict(first?.hash.toString('hex') ?? '')
    log.onEntry = onEntry
    t.match(await core.sendTransaction(late), { status: 'accepted' })
  },
)

t.test('a mined transaction is accepted again when its outcome is forgotten', async (t) => {
  const maker = openLocalNode(t, { dataDir: testFolder(t), mining: false })
  const { encoded, hash } = signedTransaction()
  await maker.core.sendTransaction(encoded)
  await maker.core.mine()
  const block = maker.core.open.chain.reader.blockByNumber(1)
  const { core, service } = openMember(t)
  await service.connect([block?.encoded ?? Buffer.alloc(0)])
  t.equal((await service.executed(block?.hash ?? hash))?.number, 1)
  await service.moveHead(block?.hash ?? hash)
  t.same(await core.sendTransaction(encoded), { status: 'accepted', hash })
  t.equal(core.pool.pendingCount, 0)
})

t.test('a log that cannot be reached refuses, and what is sent again goes there', async (t) => {
  const log = new TestLog()
  const { core } = openReader(t, log)
  const { encoded, hash } = signedTransaction()
  log.failure = new RpcError('fleetAway', 'cut off')
  await t.rejects(core.sendTransaction(encoded), { kind: 'fleetAway', message: 'cut off' })
  t.equal(core.pool.pendingCount, 0)
  log.failure = null
  t.same(await core.sendTransaction(encoded), { status: 'accepted', hash })
})

t.test('a member without its fleet thread takes no transactions', async (t) => {
  const { core, fleet } = openMember(t)
  fleet.attach({ publishTransactions: async () => [] }, () => undefined)()
  await t.rejects(core.sendTransaction(signedTransaction().encoded), { kind: 'fleetAway', message: /./ })
})

t.test('an outcome that does not come is told as unknown', async (t) => {
  const { fleet } = openMember(t)
  const sends = new FleetSends({
    chainId: 33,
    pool: fleet.pool,
    lastSequence: () => 7,
    settled: async () => undefined,
    longestWait: 200,
  })
  t.teardown(() => sends.close())
  // Nothing else keeps this process running.
  const alive = setInterval(() => undefined, 1000)
  t.teardown(() => clearInterval(alive))
  const silent = (sequence: number): FleetPublisher => ({
    publishTransactions: async (encoded) => encoded.map(() => sequence),
  })
  sends.publishWith(silent(8))
  const late = sends.submit(signedTransaction().encoded)
  await t.rejects(late, { kind: 'fleetAway', message: /again/ })
  sends.publishWith(silent(7))
  await t.rejects(
    sends.submit(signedTransaction().encoded),
    { kind: 'fleetAway', message: /./ },
    'read long ago and forgotten',
  )
  sends.publishWith(silent(9))
  const stuck: FleetPublisher = { publishTransactions: () => new Promise(() => undefined) }
  sends.publishWith(stuck)
  const signed = { transaction: signedTransaction({ nonce: 2n }), sender: accountOfSeed('cow').address }
  t.same(await sends.relay([signed]), ['refused'], 'a log that does not answer holds no peers up')
  sends.publishWith(silent(9))
  const left = sends.submit(signedTransaction({ nonce: 1n }).encoded)
  const answered = t.rejects(left, { kind: 'fleetAway', message: /./ })
  await new Promise((resolve) => setImmediate(resolve))
  await sends.close()
  await answered
})

t.test('more than may be under way waits its turn', async (t) => {
  const log = new TestLog()
  const { core, service } = openMember(t, { accountSlots: 1000 }, { log })
  const all = Array.from({ length: 600 }, (_, nonce) =>
    core.sendTransaction(signedTransaction({ nonce: BigInt(nonce) }).encoded),
  )
  while (log.entries.length < 512) await new Promise((resolve) => setTimeout(resolve, 1))
  await new Promise((resolve) => setTimeout(resolve, 50))
  t.equal(log.entries.length, 512)
  const relayed = signedTransaction({ from: accountOfSeed('cow1') }).encoded
  t.same(await createSyncService(core).addTransactions([relayed]), ['refused'])
  let read = 0
  const reading = setInterval(() => {
    const entries = log.entries.slice(read, read + 40)
    read += entries.length
    void service.admit(entries)
  }, 5)
  const outcomes = await Promise.all(all).finally(() => clearInterval(reading))
  t.ok(outcomes.every(({ status }) => status === 'accepted'))
  t.equal(core.pool.pendingCount, 600)
})

t.test('transactions of peers go to the log', async (t) => {
  const log = new TestLog()
  const { core, service } = openReader(t, log)
  const peers = createSyncService(core)
  const good = signedTransaction()
  const given = [good, signedTransaction({ chainId: 30 }), signedTransaction({ nonce: 20_000n })]
  const encoded = [...given.map((transaction) => transaction.encoded), Buffer.from('c0', 'hex')]
  t.same(await peers.addTransactions(encoded), ['added', 'invalid', 'refused', 'invalid'])
  t.equal(log.entries.length, 1)
  while (core.pool.pendingCount === 0) await new Promise((resolve) => setTimeout(resolve, 1))
  t.same(await peers.addTransactions([good.encoded]), ['known'])
  log.failure = new RpcError('fleetAway')
  t.same(await peers.addTransactions([signedTransaction({ nonce: 1n }).encoded]), ['refused'])
  t.equal(log.entries.length, 1)
  // Its files stay until what was read is on disk.
  await service.admit([])
})

t.test(
  'blocks of peers that are ahead of the head count as the best, and are not asked for again',
  async (t) => {
    const maker = new BlockMaker(t, REGTEST)
    const blocks = maker.extend(maker.genesis, 3)
    const { core } = openMember(t)
    const peers = createSyncService(core)
    const read = blocks.map((block, position) => ({ rlp: block.encoded, senders: null, position }))
    t.same(
      (await peers.connect(read)).map(({ status }) => status),
      Array(3).fill('IMPORTED_BEST'),
    )
    t.match(peers.tip, { number: 3, hash: blocks[2]?.hash })
    t.equal(core.open.chain.head.number, 0)
  },
)

t.test('both directions go over one port', async (t) => {
  const { core, fleet } = openMember(t)
  const { port1, port2 } = new MessageChannel()
  t.teardown(() => port2.close())
  const tell = serve<FleetChainService, FleetChainEvent>(port1, createFleetService(core, fleet))
  port1.on('close', fleet.attach(createProxy<FleetPublisher>(port1), tell))
  const events: FleetChainEvent[] = []
  const service = createProxy<FleetChainService, FleetChainEvent>(port2, (event) => events.push(event))
  serve<FleetPublisher>(port2, {
    publishTransactions: async (encoded) => {
      void service.admit(encoded.map((bytes, index) => ({ sequence: index + 1, time: 1, encoded: bytes })))
      return encoded.map((_, index) => index + 1)
    },
  })
  await service.shareLog(createSharedLog())
  const { encoded, hash } = signedTransaction()
  t.same(await core.sendTransaction(encoded), { status: 'accepted', hash })
  const maker = new BlockMaker(t, REGTEST)
  const [block] = maker.extend(maker.genesis, 1)
  if (block !== undefined) core.connectFromPeers([block])
  await service.ping()
  while (events.length === 0) await new Promise((resolve) => setTimeout(resolve, 1))
  t.match(events, [{ kind: 'accepted', block: { number: 1, hash: block?.hash } }])
  await t.rejects(service.moveHead(Buffer.alloc(32)), { message: /not executed here/ })
  t.equal((await service.pool()).length, 1)
  port2.close()
  await new Promise((resolve) => setTimeout(resolve, 20))
  await t.rejects(core.sendTransaction(signedTransaction({ nonce: 1n }).encoded), {
    kind: 'fleetAway',
    message: /./,
  })
})

t.test('what waits behind a log that does not answer is refused in the end', async (t) => {
  const { fleet } = openMember(t, { accountSlots: 1000 })
  const sends = new FleetSends({
    chainId: 33,
    pool: fleet.pool,
    lastSequence: () => 0,
    settled: async () => undefined,
    longestWait: 300,
  })
  const alive = setInterval(() => undefined, 1000)
  t.teardown(() => clearInterval(alive))
  let published = 0
  sends.publishWith({
    publishTransactions: (encoded) => {
      published += encoded.length
      return new Promise(() => undefined)
    },
  })
  const all = Array.from({ length: 600 }, (_, nonce) => signedTransaction({ nonce: BigInt(nonce) }).encoded)
  const outcomes = await Promise.allSettled(all.map((encoded) => sends.submit(encoded)))
  const messages = outcomes.map((outcome) =>
    outcome.status === 'rejected' ? (outcome.reason as Error).message : 'answered',
  )
  const count = (text: RegExp) => messages.filter((message) => text.test(message)).length
  t.ok(published <= 512)
  t.equal(count(/has not told yet/), published)
  t.equal(count(/takes no more/), 600 - published)
  await sends.close()
})

t.test('what a member says of the pool waits until all members have what it shows', async (t) => {
  const log = new TestLog()
  const { core, fleet } = openReader(t, log)
  const service = createChainService(core)
  const shared = createSharedLog()
  const asked: number[] = []
  let answer: () => void = () => undefined
  fleet.attach(
    {
      ...log.publisher,
      whenStable: (sequence) =>
        new Promise((resolve) => {
          asked.push(sequence)
          answer = () => {
            shared.sequences[STABLE] = sequence
            resolve()
          }
        }),
    },
    () => undefined,
  )
  await t.rejects(service.nextNonce(Buffer.alloc(20, 1)), { kind: 'fleetAway', message: /./ })
  fleet.stable.follow(shared)
  const { encoded, hash } = signedTransaction({ from: accountOfSeed('cow1') })
  const sender = accountOfSeed('cow1').address
  const reads = [
    () => service.pooledTransaction(hash).then((found) => found?.encoded ?? null),
    () => service.nextNonce(sender),
    () => service.pendingTransactions().then((all) => all.length),
    () => service.queuedTransactions().then((all) => all.length),
    () => service.pendingBlock().then(({ senders }) => senders.length),
  ]
  t.same(await Promise.all(reads.map((read) => read())), [null, 0n, 0, 0, 1], 'all have the same')
  t.same(asked, [])
  const turns = async () => {
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  }
  shared.sequences[ADMITTED] = 1
  const answers: string[] = []
  const tell = (name: string) => () => void answers.push(name)
  const sent = core.sendTransaction(encoded).then(tell('sent'))
  while (core.pool.pendingCount === 0) await turns()
  const made = t.capture(core.pool, 'pending', core.pool.pending)
  const reading = reads.map((read, index) => read().then(tell(`read ${index}`)))
  const again = core.sendTransaction(encoded).then(tell('sent again'))
  await turns()
  t.same(answers, [], 'neither who sent it, nor who reads')
  t.same(asked, [1])
  t.equal(made().length, 0, 'no list of the whole pool is kept meanwhile')
  answer()
  await Promise.all([...reading, sent, again])
  t.same(await Promise.all(reads.map((read) => read())), [encoded, 1n, 1, 0, 2])
  fleet.attach(log.publisher, () => undefined)()
  await t.rejects(service.nextNonce(sender), { kind: 'fleetAway', message: /./ })
})

t.test('subscribers hear of a transaction when all members have it, and before its block', async (t) => {
  const log = new TestLog()
  const told: string[] = []
  const member = openMember(
    t,
    {},
    { log, listener: { onPending: () => void told.push('pending'), onHead: () => void told.push('head') } },
  )
  const shared = createSharedLog()
  member.fleet.attach({ ...log.publisher, whenStable: () => new Promise(() => undefined) }, () => undefined)
  member.fleet.stable.follow(shared)
  shared.sequences[ADMITTED] = 1
  await member.service.admit([{ sequence: 1, time: log.time, encoded: signedTransaction().encoded }])
  t.same(told, [])
  shared.sequences[STABLE] = 1
  await createChainService(member.core).nextNonce(Buffer.alloc(20, 1))
  t.same(told, ['pending'], 'before anything else is said of the pool, whoever knew first')
  shared.sequences[ADMITTED] = 2
  const next = { sequence: 2, time: log.time, encoded: signedTransaction({ nonce: 1n }).encoded }
  await member.service.admit([next])
  const maker = new BlockMaker(t, REGTEST)
  const [block] = maker.extend(maker.genesis, 1)
  await member.service.connect(block === undefined ? [] : [block.encoded])
  shared.sequences[STABLE] = 3
  await member.service.moveHead(block?.hash ?? Buffer.alloc(32))
  t.same(told, ['pending', 'pending', 'head'])
})
