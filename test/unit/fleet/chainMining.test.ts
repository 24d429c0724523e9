import t, { type Test } from 'tap'
import { parseBlock } from '../../../src/chain/codec/block.ts'
import { impersonatedSignature } from '../../../src/chain/codec/impersonated.ts'
import { Transaction } from '../../../src/chain/codec/transaction.ts'
import { checkMember } from '../../../src/config/conflicts.ts'
import { fillDefaults } from '../../../src/config/load.ts'
import { createChainService } from '../../../src/node/chainThread/chainThreadService.ts'
import { BitcoinPool, blockHex } from '../../support/bitcoinPool.ts'
import { BlockMaker } from '../../support/blockMaker.ts'
import { openMember, TestLog, type TestMember } from '../../support/fleetChain.ts'
import { openLocalNode } from '../../support/localNode.ts'
import { REGTEST } from '../../support/openTestChain.ts'
import { createRandom } from '../../support/random.ts'
import { COW, signedTransaction } from '../../support/signedTransaction.ts'
import { testFolder } from '../../support/testFolder.ts'

const NOW = 1_700_000_000_000

/** Rounds in a fleet of one: what a member accepted becomes the head soon after. */
function runRounds(t: Test, { service, accepted }: TestMember): void {
  let told = 0
  const timer = setInterval(() => {
    const event = accepted[told]
    if (event === undefined) return
    told += 1
    void service.moveHead(event.block.hash)
  }, 2)
  t.teardown(() => clearInterval(timer))
}

t.test('blocks that are asked for are the head when the request is answered', async (t) => {
  const log = new TestLog()
  const member = openMember(t, {}, { log, now: () => NOW })
  const { core, service } = member
  log.onEntry = (entry) => setImmediate(() => void service.admit([entry]))
  runRounds(t, member)
  const { hash, encoded } = signedTransaction()
  await core.sendTransaction(encoded)
  const chain = createChainService(core)
  await chain.mine({ count: 3, interval: 5 })
  t.match(await service.head(), { number: 3 })
  t.equal(member.accepted.length, 3)
  const { reader } = core.open.chain
  t.ok(reader.locateTransaction(hash))
  t.same(
    [1, 2, 3].map((number) => reader.headerByNumber(number)?.timestamp),
    [0, 5, 10].map((seconds) => NOW / 1000 + seconds),
  )
  t.equal(core.pool.pendingCount, 0)
})

t.test('a block that waits for its round is not built again, and one that lost is told', async (t) => {
  const { core, service, fleet, accepted } = openMember(t)
  const { chain } = core.open
  const first = core.producer.mine()
  const second = core.producer.mine()
  while (accepted.length === 0) await new Promise((resolve) => setTimeout(resolve, 1))
  await core.probe()
  t.equal(accepted.length, 1)
  const block = chain.blockByHash(accepted[0]?.block.hash ?? Buffer.alloc(32))
  await service.moveHead(block?.hash ?? Buffer.alloc(32))
  t.same(await first, [block])
  t.same(await second, [block])

  const third = createChainService(core).mine()
  while (accepted.length === 1) await new Promise((resolve) => setTimeout(resolve, 1))
  const other = otherBlock(t, core.open.chain.reader.blockByNumber(1)?.encoded ?? Buffer.alloc(0))
  await service.connect([other])
  const [rival] = chain.reader.blocksAt(2).filter(({ hash }) => !hash.equals(accepted[1]?.block.hash ?? hash))
  await service.moveHead(rival?.hash ?? Buffer.alloc(32))
  await t.rejects(third, {
    kind: 'executionFailed',
    message: /was made, but .* became the head of the fleet/,
  })
  if (block !== null)
    await t.rejects(
      fleet.becomesHead({ ...block, number: 9, hash: block.hash, hashHex: 'aa' } as typeof block, 5),
      {
        code: 'NOT_HEAD',
        message: /within 5 ms/,
      },
    )
})

/** A block on another node's copy of a chain of one block. */
function otherBlock(t: Test, first: Buffer): Buffer {
  const maker = new BlockMaker(t, REGTEST)
  const { open } = maker
  const parent = parseBlock(REGTEST, first)
  open.chain.connect(parent)
  const [made] = maker.extend(parent, 1, { label: 'rival' })
  return made?.encoded ?? Buffer.alloc(0)
}

t.test('only the leader makes blocks in its interval, one for each head', async (t) => {
  const member = openMember(t, { mining: true, blockTime: 1 })
  const { core, service, accepted } = member
  const intervals: (() => void)[] = []
  t.intercept(globalThis, 'setInterval', {
    value: (action: () => void) => {
      intervals.push(action)
      return setTimeout(() => undefined, 0)
    },
  })
  core.producer.setMode({ instant: false, interval: 2 })
  const tick = async () => {
    intervals.at(-1)?.()
    await core.probe()
  }
  await tick()
  t.equal(accepted.length, 0, 'nobody leads')
  await service.lead(true)
  await tick()
  await tick()
  t.equal(accepted.length, 1, 'the head is the same')
  await service.moveHead(accepted[0]?.block.hash ?? Buffer.alloc(32))
  await tick()
  t.equal(accepted.length, 2)
  await service.lead(false)
  await service.moveHead(accepted[1]?.block.hash ?? Buffer.alloc(32))
  await tick()
  t.equal(accepted.length, 2)
})

t.test('a solution is told to the fleet, and the pool hears that it is the best', async (t) => {
  const { core, accepted, service } = openMember(t, { mergedMining: true }, { log: new TestLog() })
  await service.lead(true)
  const pool = new BitcoinPool('/fleet/', createRandom(1))
  const work = await core.work?.work()
  if (work === undefined) throw new Error('no work')
  const target = BigInt(`0x${work.target.toString('hex')}`)
  const mined = pool.mine(work.hashForMergedMining, target, 1)
  const outcome = await core.submitSolution({ kind: 'block', block: blockHex(mined) })
  t.match(outcome, { status: 'imported', word: 'IMPORTED_BEST', number: 1 })
  await core.probe()
  t.equal(accepted.length, 1)
  t.equal(core.open.chain.head.number, 0)
  t.match(
    await core.work?.work(),
    { parentHash: core.open.chain.head.hash },
    'work stays on the head of the fleet',
  )
  await service.moveHead(accepted[0]?.block.hash ?? Buffer.alloc(32))
  t.match(await core.work?.work(), { parentHash: accepted[0]?.block.hash })
})

t.test('what would make members differ is refused', async (t) => {
  const { core } = openMember(t)
  const chain = createChainService(core)
  const refusal = { kind: 'methodUnavailable', message: /^a member of a fleet takes no edits/ }
  const refused: Record<string, () => Promise<unknown>> = {
    snapshot: () => chain.snapshot(),
    revert: () => chain.revert(1n),
    rollback: () => chain.rollback(0),
    reset: () => chain.reset(),
    loadState: () => chain.loadState(Buffer.alloc(0)),
    editAccount: () => chain.editAccount({ address: Buffer.alloc(20), balance: 1n }),
    dropTransactions: () => chain.dropTransactions({}),
    sendImpersonated: () => chain.sendImpersonated(signedTransaction().encoded),
    setAutomine: () => chain.setAutomine(true),
  }
  for (const [name, call] of Object.entries(refused)) await t.rejects(call(), refusal, name)
  await chain.setAutomine(false)
  t.equal((await chain.mode()).instant, false)
})

t.test('options that make a block for each transaction are refused', (t) => {
  const config = { network: 'regtest', dataDir: '/nowhere', fleet: ['nats://127.0.0.1:4222'] } as const
  t.throws(() => checkMember(fillDefaults({ ...config, mining: true })), {
    name: 'ConfigError',
    code: 'Conflict',
    message: /--block-time/,
  })
  t.doesNotThrow(() => checkMember(fillDefaults({ ...config, mining: true, blockTime: 5 })))
  t.doesNotThrow(() => checkMember(fillDefaults({ ...config, mining: false })))
  t.end()
})

t.test('edits and impersonated senders keep a chain out of a fleet', async (t) => {
  const folders = [testFolder(t), testFolder(t), testFolder(t)]
  const [edited = '', impersonated = '', clean = ''] = folders
  const alone = async (
    dataDir: string,
    act: (node: ReturnType<typeof openLocalNode>) => Promise<unknown>,
  ) => {
    const node = openLocalNode(t, { dataDir, mining: false })
    await node.core.mine()
    await act(node)
    await node.core.mine()
    await node.close()
    return openMember(t, { dataDir }).service.whyNot()
  }
  const address = Buffer.alloc(20, 7)
  t.equal(
    await alone(edited, ({ core }) => core.dev?.editAccount({ address, balance: 5n }) ?? Promise.resolve()),
    'states of this chain were edited by hand',
  )
  const { fields } = signedTransaction()
  const unsigned = new Transaction({ ...fields, signature: impersonatedSignature(COW.address) }).encoded
  t.match(
    await alone(impersonated, ({ core }) => core.sendImpersonated(unsigned)),
    /^block 2 holds a transaction of an impersonated account/,
  )
  t.equal(await alone(clean, async () => undefined), null)
})

t.test('a block that nobody makes the head is given up', async (t) => {
  let time = NOW
  const { core, accepted, close } = openMember(t, {}, { now: () => time })
  const mining: Promise<unknown>[] = []
  const mine = async () => {
    mining.push(t.rejects(core.producer.mine(), { code: 'NOT_HEAD', message: /the node stops/ }))
    await core.probe()
    return accepted.map(({ block }) => block.number)
  }
  await mine()
  t.same(await mine(), [1])
  const { now } = performance
  t.teardown(() => {
    performance.now = now
  })
  performance.now = () => now.call(performance) + 31_000
  time += 31_000
  t.same(await mine(), [1, 1])
  await close()
  await Promise.all(mining)
})

t.test(
  'a transaction that no block can take stays in the pool, as it does on members that make none',
  async (t) => {
    const log = new TestLog()
    const member = openMember(t, { minimumGasPrice: 100 }, { log })
    const { core, service } = member
    log.onEntry = (entry) => setImmediate(() => void service.admit([entry]))
    runRounds(t, member)
    await core.mine({ count: 4 })
    const low = signedTransaction({ gasPrice: 4n })
    t.match(await core.sendTransaction(low.encoded), { status: 'accepted' })
    await core.mine()
    t.equal(core.open.chain.head.fields.minimumGasPrice, 5n)
    t.ok(core.pool.get(low.hashHex))
  },
)
