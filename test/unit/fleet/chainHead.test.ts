import t, { type Test } from 'tap'
import type { Block } from '../../../src/chain/codec/block.ts'
import { parseBlock } from '../../../src/chain/codec/block.ts'
import { findHeaviest } from '../../../src/chain/heaviestBlock.ts'
import { writePosition } from '../../../src/storage/totalDifficulty.ts'
import { fromHex } from '../../../src/util/bytes.ts'
import { BlockMaker } from '../../support/blockMaker.ts'
import { dumpTables, encodedBlocks, openMember, type TestMember } from '../../support/fleetChain.ts'
import { openLocalNode } from '../../support/localNode.ts'
import { openTestChain, REGTEST } from '../../support/openTestChain.ts'
import { createRandom } from '../../support/random.ts'
import { COW, STRANGER, signedTransaction } from '../../support/signedTransaction.ts'
import { SyntheticChain } from '../../support/syntheticChain.ts'
import { testFolder } from '../../support/testFolder.ts'
import { readVectorLines } from '../../support/vectors.ts'

// Each move waits for the disk.
t.setTimeout(300_000)

const SEED = 20_261_124

interface Line {
  readonly type: string
  readonly rlp: string
  readonly bestHashAfter: string
}

/** The canonical chain of a member is that up to a block, and ends with it. */
function assertCanonical(
  t: Test,
  { core }: TestMember,
  tip: Block,
  blocks: ReadonlyMap<string, Block>,
): void {
  const { chain } = core.open
  t.equal(chain.head.hashHex, tip.hashHex)
  t.equal(chain.reader.hashByNumber(tip.number + 1), null)
  for (let block: Block | undefined = tip; block !== undefined; ) {
    const found = chain.reader.hashByNumber(block.number)
    if (found?.equals(block.hash) !== true) t.fail(`height ${block.number} has ${found?.toString('hex')}`)
    block = blocks.get(block.header.parentHash.toString('hex'))
  }
}

t.test(
  'a chain whose head was moved has the tables of one that chose its head',
  { timeout: 300_000 },
  async (t) => {
    // Several blocks per height, rewards with logs, and heads that change by fees and by hash.
    const lines = readVectorLines<Line>('consensus/remasc.jsonl')
      .filter((line) => line.type === 'block')
      .slice(0, 200)
    const { chain, environment } = openTestChain(t)
    const member = openMember(t)
    const heads = new Set<string>()
    for (const { rlp, bestHashAfter } of lines) {
      const block = parseBlock(REGTEST, fromHex(rlp))
      chain.connect(block)
      await member.service.connect([block.encoded])
      await member.service.moveHead(fromHex(bestHashAfter))
      heads.add(bestHashAfter)
      t.equal(`0x${member.core.open.chain.head.hashHex}`, bestHashAfter)
    }
    t.ok(heads.size > 50)
    t.ok(environment.count('logIndex') > 0)
    const [moved, chosen] = [dumpTables(member.core.open.environment), dumpTables(environment)]
    for (const [name, entries] of Object.entries(chosen)) t.same(moved[name], entries, name)
  },
)

t.test(
  'the head goes up, down and sideways behind the height where headers grow',
  { timeout: 300_000 },
  async (t) => {
    const maker = new BlockMaker(t, REGTEST)
    const trunk = maker.extend(maker.genesis, 455)
    const fork = trunk[449] as Block
    const branches = [
      trunk.slice(449),
      maker.extend(fork, 4, { label: 'b' }),
      maker.extend(fork, 9, { label: 'c' }),
      maker.extend(trunk[447] as Block, 3, { label: 'd' }),
    ]
    const [, ...others] = branches
    const all = [...trunk, ...others.flat()]
    const blocks = new Map(all.map((block) => [block.hashHex, block]))
    const member = openMember(t)
    const { service } = member
    await service.connect(encodedBlocks(all))
    t.equal(member.core.open.chain.head.number, 0)
    const random = createRandom(SEED)
    const places = [...trunk.slice(440), ...others.flat(), trunk[0] as Block]
    for (let move = 0; move < 60; move += 1) {
      const to = places[Math.floor(random() * places.length)] as Block
      await service.moveHead(to.hash)
      assertCanonical(t, member, to, blocks)
      t.match(await service.heaviest(), { number: 459 })
    }
    const tip = branches[2]?.at(-1) as Block
    await service.moveHead(tip.hash)
    const chosen = openTestChain(t)
    chosen.chain.connectAll(all)
    t.equal(chosen.chain.head.hashHex, tip.hashHex)
    t.same(dumpTables(member.core.open.environment), dumpTables(chosen.environment))
  },
)

/** Blocks that each leave another balance to somebody, in two branches behind a trunk. */
async function makeTransfers(t: Test): Promise<{ blocks: Block[]; balances: Map<string, bigint> }> {
  const { core, context } = openLocalNode(t, { dataDir: testFolder(t), mining: false })
  const { chain } = core.open
  const balances = new Map<string, bigint>()
  const blocks: Block[] = []
  const mine = async (count: number, value: bigint) => {
    for (let made = 0; made < count; made += 1) {
      const nonce = context.state.at(chain.head).account(COW.address)?.nonce ?? 0n
      await core.sendTransaction(signedTransaction({ nonce, value }).encoded)
      await core.mine()
      const block = chain.blockByHash(chain.head.hash)
      if (block === null) throw new Error('no block')
      blocks.push(block)
      balances.set(block.hashHex, context.state.at(chain.head).account(STRANGER.address)?.balance ?? 0n)
    }
  }
  await mine(3, 1n)
  const snapshot = core.dev?.snapshot() ?? 0
  await mine(4, 10n)
  await core.dev?.revert(BigInt(snapshot))
  await mine(5, 100n)
  return { blocks, balances }
}

t.test(
  'states ahead of the head and beside it are read, and the head is read as what it is',
  { timeout: 300_000 },
  async (t) => {
    const { blocks, balances } = await makeTransfers(t)
    const { service, context } = openMember(t)
    const balanceAt = (block: Block) => context.state.at(block.header).account(STRANGER.address)?.balance
    await service.connect(encodedBlocks(blocks))
    for (const block of blocks)
      t.equal(balanceAt(block), balances.get(block.hashHex), 'before it is canonical')
    const random = createRandom(SEED)
    for (let move = 0; move < 60; move += 1) {
      const to = blocks[Math.floor(random() * blocks.length)] as Block
      await service.moveHead(to.hash)
      t.equal(balanceAt(to), balances.get(to.hashHex))
    }
    for (const block of blocks) t.equal(balanceAt(block), balances.get(block.hashHex), 'after all')
  },
)

t.test('a chain that was rewound takes its blocks again', async (t) => {
  const dataDir = testFolder(t)
  const before = openLocalNode(t, { dataDir, mining: false })
  const { chain } = before.core.open
  await before.core.mine({ count: 2 })
  const snapshot = before.core.dev?.snapshot() ?? 0
  await before.core.mine({ count: 3 })
  const blocks = [1, 2, 3, 4, 5].flatMap((number) => chain.reader.blockByNumber(number) ?? [])
  await before.core.dev?.revert(BigInt(snapshot))
  await before.close()
  const member = openMember(t, { dataDir })
  t.match(await member.service.heaviest(), { number: 2 })
  t.equal(await member.service.whyNot(), null)
  t.equal(await member.service.executed(blocks[3]?.hash ?? Buffer.alloc(32)), null)
  await member.service.connect(encodedBlocks(blocks.slice(2)))
  for (const number of [4, 1, 5]) await member.service.moveHead(blocks[number - 1]?.hash ?? Buffer.alloc(32))
  const chosen = openTestChain(t)
  chosen.chain.connectAll(blocks)
  const without = ['metadata'] as const
  t.same(dumpTables(member.core.open.environment, { without }), dumpTables(chosen.environment, { without }))
})

t.test('after a restart the head is where it was, and the heaviest block is found', async (t) => {
  const maker = new BlockMaker(t, REGTEST)
  const trunk = maker.extend(maker.genesis, 6)
  const side = maker.extend(trunk[1] as Block, 2, { label: 'side' })
  const dataDir = testFolder(t)
  const before = openMember(t, { dataDir })
  await before.service.connect(encodedBlocks([...trunk, ...side]))
  await before.service.moveHead(side[0]?.hash ?? Buffer.alloc(32))
  await before.close()
  const { service } = openMember(t, { dataDir })
  t.match(await service.head(), { number: 3, hash: side[0]?.hash })
  t.match(await service.heaviest(), { number: 6, hash: trunk[5]?.hash })
  await service.moveHead(trunk[5]?.hash ?? Buffer.alloc(32))
  t.match(await service.head(), await service.heaviest())
})

t.test('a branch with more difficulty in fewer blocks is the heaviest', (t) => {
  const chain = new SyntheticChain(t)
  chain.append([[], [], []])
  const [low] = chain.extend(chain.genesis, [[]])
  const head = chain.reader.head()
  t.equal(
    findHeaviest(chain.environment, head).hash.equals(head.hash),
    true,
    'the head where nothing is above it',
  )
  const hash = low?.hash ?? Buffer.alloc(32)
  chain.environment.transaction((writer) => writePosition(writer, hash, { height: 1, totalDifficulty: 50n }))
  t.same(findHeaviest(chain.environment, head), { number: 1, hash, totalDifficulty: 50n })
  t.end()
})

t.test('what cannot be the head is refused, and the head stays', async (t) => {
  const maker = new BlockMaker(t, REGTEST)
  const [block] = maker.extend(maker.genesis, 1)
  const { service, core } = openMember(t)
  await t.rejects(service.moveHead(block?.hash ?? Buffer.alloc(32)), { message: /is not executed here/ })
  t.match(await service.head(), { number: 0 })
  const { chain } = core.open
  t.throws(() => chain.rewind(chain.head), RangeError)
  const alone = openTestChain(t)
  t.throws(() => alone.chain.moveHead(alone.chain.head.hash), { message: /fork choice/ })
})

t.test('the fleet is told of blocks that came from elsewhere, in order', async (t) => {
  const maker = new BlockMaker(t, REGTEST)
  const [first, second, third, fourth] = maker.extend(maker.genesis, 4) as [Block, Block, Block, Block]
  const { service, core, accepted } = openMember(t)
  const numbers = () => accepted.map(({ block }) => block.number)
  core.connectFromPeers([first, third])
  await core.probe()
  t.same(numbers(), [1], 'one whose parent is missing waits')
  const [outcome] = await service.connect([second.encoded])
  t.match(outcome, { status: 'IMPORTED_BEST' })
  await core.probe()
  t.same(numbers(), [1, 3], 'what waited for a block of the fleet came from elsewhere')
  t.match(accepted[1], { kind: 'accepted', encoded: third.encoded })
  core.connectFromPeers([first, second, third, fourth])
  await core.probe()
  t.same(numbers(), [1, 3, 4], 'each once')
  t.same(
    accepted.map(({ block }) => block),
    await Promise.all([first, third, fourth].map(({ hash }) => service.executed(hash))),
  )
  t.equal(core.open.chain.head.number, 0)
})

t.test('a fleet thread that hears nothing is told no more than 32 MiB of blocks', async (t) => {
  const maker = new BlockMaker(t, REGTEST)
  const blocks = maker.extend(maker.genesis, 4)
  for (const block of blocks) Object.defineProperty(block, 'encoded', { value: Buffer.alloc(12 << 20) })
  const { service, core, accepted } = openMember(t)
  core.connectFromPeers(blocks.slice(0, 3))
  await core.probe()
  t.equal(accepted.length, 2)
  await service.ping()
  core.connectFromPeers(blocks.slice(3))
  await core.probe()
  t.equal(accepted.length, 3)
  t.match(await service.heaviest(), { number: 4 })
})
