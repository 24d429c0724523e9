import { join } from 'node:path'
import t, { type Test } from 'tap'
import { checkChain } from '../../../src/chain/check/checkChain.ts'
import type { Block } from '../../../src/chain/codec/block.ts'
import { UNCLE_GENERATIONS } from '../../../src/chain/consensus.ts'
import { FORK_DETECTION_ANCESTORS } from '../../../src/chain/forkDetection.ts'
import { createStateChecker } from '../../../src/execution/stateChecker.ts'
import { stateRootAfter } from '../../../src/state/stateRoot.ts'
import type { openTestChain } from '../../support/openTestChain.ts'
import {
  makeSnapshot,
  openRestored,
  openWith,
  type RewardChain,
  readRewardChain,
} from '../../support/snapshots.ts'

type Opened = ReturnType<typeof openTestChain>

/** A chain, what the rules of its heights read of the past, and how many blocks it is cut after. */
const CASES: readonly { name: string; blocks: number; cuts: readonly number[] }[] = [
  { name: 'remasc', blocks: rewardBlocks(10, 5), cuts: [60, 131, 200] },
  { name: 'remasc-history', blocks: rewardBlocks(10, 5), cuts: [70, 140, 230] },
  { name: 'remasc-testnet', blocks: rewardBlocks(50, 10), cuts: [140, 190] },
]

function rewardBlocks(maturity: number, span: number): number {
  return maturity + span + UNCLE_GENERATIONS
}

for (const { name, blocks, cuts } of CASES) {
  for (const cut of cuts) {
    t.test(`${name} restored after ${cut} blocks goes on as the original does`, async (t) => {
      const recorded = readRewardChain(name)
      const { original, restored, before } = await cutAt(t, recorded, cut, blocks)
      t.equal(restored.chain.head.hashHex, original.chain.head.hashHex)
      const { firstBlock, firstState } = restored.chain.reader.history()
      t.equal(firstState, original.chain.head.number)
      t.equal(firstBlock, original.chain.head.number + 1 - blocks)
      const rest = recorded.blocks.slice(before)
      const connect = ({ chain }: Opened) => chain.connectAll(rest).map(({ status }) => status)
      const expected = connect(original)
      connect(restored).forEach((status, index) => {
        // What branches off below the snapshot never becomes the best.
        const wanted = status === 'TOO_OLD' ? 'IMPORTED_NOT_BEST' : status
        if (expected[index] !== wanted) t.equal(status, expected[index], `block ${rest[index]?.hashHex}`)
      })
      t.equal(restored.chain.head.hashHex, original.chain.head.hashHex)
      t.same(rootOf(restored, recorded), rootOf(original, recorded))
      t.same(problemsOf(restored, recorded), [])
    })
  }
}

t.test('a block less than the maturity of rewards and the chain cannot go on', async (t) => {
  const recorded = readRewardChain('remasc-testnet')
  const { restored, before } = await cutAt(t, recorded, 140, 49)
  const result = restored.chain.connect(recorded.blocks[before] as (typeof recorded.blocks)[0])
  t.equal(result.status, 'UNDECIDED')
  t.match(result.status === 'UNDECIDED' ? result.error.message : '', /ancestor \d+ of block \d+ is not known/)
})

t.test('fork detection data is made of the blocks that were kept', async (t) => {
  const recorded = readRewardChain('remasc-long')
  const least = FORK_DETECTION_ANCESTORS + UNCLE_GENERATIONS
  const next = async (t: Test, blocks: number) => {
    const { restored, before } = await cutAt(t, recorded, 760, blocks)
    return restored.chain.connectAll(recorded.blocks.slice(before, before + 40)).map(({ status }) => status)
  }
  await t.test('enough', async (t) => {
    t.notOk((await next(t, least)).some((status) => status === 'INVALID_BLOCK' || status === 'UNDECIDED'))
  })
  await t.test('too few', async (t) => {
    t.ok((await next(t, FORK_DETECTION_ANCESTORS - 2)).includes('INVALID_BLOCK'))
  })
})

/** Connects blocks until the head has no better block at its height to come, and restores a snapshot of that. */
async function cutAt(t: Test, { spec, blocks }: RewardChain, cut: number, kept: number) {
  const folder = t.testdir()
  // A reorganisation from below the snapshot is out of reach: it is cut where none comes.
  const lasting = lastingBlocks(blocks)
  let before = cut
  while (!lasting.has(blocks[before - 1]?.hashHex ?? '')) before += 1
  const original = openWith(t, spec, blocks.slice(0, before), join(folder, 'original'))
  const snapshot = join(folder, 'snapshot')
  await makeSnapshot({ spec, dataDir: original.dataDir, folder: snapshot, blocks: kept, leastBlocks: 1 })
  const restored = await openRestored(t, spec, snapshot, join(folder, 'restored'))
  return { original, restored, before }
}

/** Hashes of the blocks that are canonical at the end: the highest block and those below it. */
function lastingBlocks(blocks: readonly Block[]): Set<string> {
  const byHash = new Map(blocks.map((block) => [block.hashHex, block]))
  const tops = blocks.filter(({ number }) => number === Math.max(...blocks.map((block) => block.number)))
  const branches = tops.map((top) => {
    const branch = new Set<string>()
    for (let next: Block | undefined = top; next !== undefined; ) {
      branch.add(next.hashHex)
      next = byHash.get(next.header.parentHash.toString('hex'))
    }
    return branch
  })
  // Where several are left, only what they share is sure.
  const [shortest = new Set<string>(), ...others] = branches
  return new Set([...shortest].filter((hash) => others.every((branch) => branch.has(hash))))
}

function rootOf({ stateStore, chain }: Opened, { spec }: RewardChain): Buffer {
  return stateRootAfter(spec, stateStore, chain.head)
}

function problemsOf({ environment, stateStore }: Opened, { spec }: RewardChain) {
  const states = createStateChecker(spec, stateStore)
  return checkChain({ spec, environment, states, stateBlocks: 1000 }).problems
}
