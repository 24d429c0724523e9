import t, { type Test } from 'tap'
import type { Block } from '../../../src/chain/codec/block.ts'
import type { LoggedTransaction } from '../../../src/fleet/interface.ts'
import type { SendOutcome } from '../../../src/txpool/interface.ts'
import { encodedBlocks, openMember, TestLog, type TestMember } from '../../support/fleetChain.ts'
import { openLocalNode } from '../../support/localNode.ts'
import { createRandom } from '../../support/random.ts'
import { accountOfSeed, COW, STRANGER, signedTransaction } from '../../support/signedTransaction.ts'
import { testFolder } from '../../support/testFolder.ts'

const SEEDS = [1, 20_261_124, 3]
const CONFIG = { accountQuota: true, outdatedTime: 60 } as const

t.setTimeout(300_000)

/** What happens in a log: transactions, and moves of the head among a few blocks. */
type Step = { readonly entry: LoggedTransaction } | { readonly head: Block; readonly time: number }

/** Blocks with transfers, in two branches: their transactions are given back when the head goes elsewhere. */
async function makeBlocks(t: Test): Promise<Block[]> {
  const { core } = openLocalNode(t, { dataDir: testFolder(t), mining: false })
  const { chain } = core.open
  const blocks: Block[] = []
  const mine = async (nonce: number, gasPrice: bigint) => {
    for (const from of [COW, accountOfSeed('cow1')])
      await core.sendTransaction(signedTransaction({ from, nonce: BigInt(nonce), gasPrice }).encoded)
    await core.mine()
    const block = chain.blockByHash(chain.head.hash)
    if (block !== null) blocks.push(block)
  }
  await mine(0, 10n)
  const snapshot = core.dev?.snapshot() ?? 0
  for (const nonce of [1, 2, 3]) await mine(nonce, 20n)
  await core.dev?.revert(BigInt(snapshot))
  for (const nonce of [1, 2]) await mine(nonce, 30n)
  return blocks
}

/** A log at random: replacements, gaps, more than accounts can pay, doubles, and what nobody signed. */
function makeSteps(seed: number, blocks: readonly Block[], count: number): Step[] {
  const random = createRandom(seed)
  const upTo = (limit: number) => Math.floor(random() * limit)
  const accounts = [COW, STRANGER, ...[1, 2, 3, 4].map((index) => accountOfSeed(`cow${index}`))]
  const log = new TestLog()
  const steps: Step[] = []
  log.onEntry = (entry) => steps.push({ entry })
  // A new account has little to pay for gas with.
  const newcomer = accountOfSeed('cow5')
  for (const nonce of [0n, 1n])
    log.append(signedTransaction({ from: newcomer, nonce, gasLimit: 6_000_000n }).encoded)
  for (let step = 0; step < count; step += 1) {
    log.time += upTo(1500)
    if (random() < 0.08) {
      steps.push({ head: blocks[upTo(blocks.length)] as Block, time: log.time })
      continue
    }
    if (random() < 0.1 && log.entries.length > 0) {
      log.append(log.entries[upTo(log.entries.length)]?.encoded ?? Buffer.alloc(0))
      continue
    }
    if (random() < 0.03) {
      log.append(random() < 0.5 ? Buffer.from('c0', 'hex') : signedTransaction({ chainId: 30 }).encoded)
      continue
    }
    const from = accounts[upTo(accounts.length)] ?? COW
    const price = BigInt(1 + upTo(60))
    log.append(
      signedTransaction({
        from,
        nonce: BigInt(upTo(9)),
        gasPrice: random() < 0.05 ? 10n ** 16n : price,
        gasLimit: random() < 0.4 ? 6_000_000n : 21_000n,
        value: BigInt(1 + upTo(3)),
      }).encoded,
    )
  }
  return steps
}

/** Has a member read steps, entries in groups of whatever size. @returns outcomes of all entries */
async function read(member: TestMember, steps: readonly Step[], seed: number): Promise<SendOutcome[]> {
  const random = createRandom(seed)
  const outcomes: Promise<readonly SendOutcome[]>[] = []
  let group: LoggedTransaction[] = []
  const end = () => {
    if (group.length > 0) outcomes.push(member.service.admit(group))
    group = []
  }
  for (const step of steps) {
    if ('entry' in step) {
      group.push(step.entry)
      if (random() < 0.3) end()
    } else {
      end()
      await member.service.moveHead(step.head.hash, step.time)
    }
  }
  end()
  return (await Promise.all(outcomes)).flat()
}

async function shown({ service, core }: TestMember) {
  const { pool } = core
  const arrivals = (
    entries: Iterable<{ transaction: { hashHex: string }; addedAt: number; addedAtBlock: number }>,
  ) =>
    [...entries].map(({ transaction, addedAt, addedAtBlock }) => ({
      hash: transaction.hashHex,
      addedAt,
      addedAtBlock,
    }))
  return {
    pending: arrivals(pool.pending()),
    queued: arrivals(pool.queued()),
    entries: await service.pool(),
    state: await service.admissionState(),
    journaled: core.journaled,
  }
}

async function joined(t: Test, blocks: readonly Block[], now: number): Promise<TestMember> {
  const member = openMember(t, CONFIG, { now: () => now })
  await member.service.connect(encodedBlocks(blocks))
  return member
}

for (const seed of SEEDS) {
  t.test(
    `members that read the same log have the same pool, seed ${seed}`,
    { timeout: 300_000 },
    async (t) => {
      const blocks = await makeBlocks(t)
      const steps = makeSteps(seed, blocks, 400)
      const half = steps.length >> 1
      // Clocks of machines differ, as do the groups in which entries come.
      const first = await joined(t, blocks, 1_600_000_000_000)
      const second = await joined(t, blocks, 1_800_000_000_000)
      const begun = await read(first, steps.slice(0, half), 7)
      t.same(await read(second, steps.slice(0, half), 8), begun)
      t.same(await shown(second), await shown(first))
      t.ok(first.core.pool.pendingCount > 0)
      const reasons = new Set(
        begun.map((outcome) => (outcome.status === 'refused' ? outcome.reason : 'accepted')),
      )
      for (const reason of [
        'accepted',
        'gas price not enough to bump transaction',
        'account exceeds quota',
        "the sender account doesn't exist",
      ])
        t.ok(reasons.has(reason), reason)

      const third = await joined(t, blocks, 1_650_000_000_000)
      await third.service.moveHead(first.core.open.chain.head.hash)
      const [entries, state] = await Promise.all([first.service.pool(), first.service.admissionState()])
      await third.service.replacePool(entries, state)
      const rest = await read(first, steps.slice(half), 9)
      t.same(await read(third, steps.slice(half), 10), rest, 'also one that joined in between')
      await read(second, steps.slice(half), 11)
      t.same(await shown(second), await shown(first))
      t.same(await third.service.admissionState(), await first.service.admissionState())
      t.same(await third.service.pool(), await first.service.pool())
    },
  )
}

t.test('transactions of blocks that the head leaves downwards come back', async (t) => {
  const blocks = await makeBlocks(t)
  const member = await joined(t, blocks, 1_700_000_000_000)
  const { service, core } = member
  const [low, , high] = blocks as [Block, Block, Block]
  await service.moveHead(high.hash)
  t.equal(core.pool.pendingCount, 0)
  await service.moveHead(low.hash)
  t.equal(core.pool.pendingCount, 4)
  t.equal(core.journaled, 4)
  await service.moveHead(high.hash)
  t.equal(core.pool.pendingCount, 0)
})

t.test('what was admitted is there after a restart', async (t) => {
  const dataDir = testFolder(t)
  const { service, close } = openMember(t, { dataDir })
  const { encoded, hash } = signedTransaction()
  t.same(await service.admit([{ sequence: 1, time: Date.now() + 0.5, encoded }]), [
    { status: 'accepted', hash },
  ])
  await close()
  t.equal(openMember(t, { dataDir }).core.pool.pendingCount, 1)
})

t.test('a state that is none replaces nothing', async (t) => {
  const { service, core } = openMember(t, CONFIG)
  await service.admit([{ sequence: 1, time: 1, encoded: signedTransaction().encoded }])
  const entries = await service.pool()
  const state = await service.admissionState()
  const outcomes = Buffer.from(state.outcomes)
  for (const wrong of [
    { ...state, outcomes: outcomes.subarray(0, outcomes.length - 1) },
    { ...state, outcomes: Buffer.concat([outcomes.subarray(0, 32), Buffer.from([0, 2, 0x7b, 0x7d])]) },
    { ...state, quotas: Buffer.alloc(35) },
    { ...state, quotas: Buffer.alloc(36, 0xff) },
  ])
    await t.rejects(service.replacePool([], wrong), { message: /malformed/ })
  t.same(await service.pool(), entries)
  t.same(await service.admissionState(), state)
  await service.replacePool([])
  t.equal(core.pool.pendingCount, 0)
  t.equal(core.journaled, 0)
})

t.test('a pool grows old by the time of the log alone', async (t) => {
  const { service, core } = openMember(t, CONFIG)
  const admit = (sequence: number, seconds: number, nonce: bigint) =>
    service.admit([{ sequence, time: 1000 * seconds, encoded: signedTransaction({ nonce }).encoded }])
  await admit(1, 100, 0n)
  await admit(2, 150, 1n)
  core.pool.removeOutdated()
  t.equal(core.pool.pendingCount, 2)
  await admit(3, 161, 2n)
  t.same([core.pool.pendingCount, core.pool.queuedCount], [0, 2], 'the first is more than a minute old')
  // A log that changed its leader may go back.
  await admit(4, 100, 3n)
  t.equal(core.pool.queuedCount, 3)
  t.match(await service.admissionState(), { time: 161_000 })
})
