import t, { type Test } from 'tap'
import { BlockIntake } from '../../../src/fleet/blocks/blockIntake.ts'
import {
  BlockService,
  decodeBlocks,
  decodeBlocksRequest,
  encodeBlocks,
  referenceOf,
} from '../../../src/fleet/blocks/blockService.ts'
import type { ChainCore } from '../../../src/node/chainThread/chainCore.ts'
import { createLogger } from '../../../src/observe/logger.ts'
import { openMember, type TestMember } from '../../support/fleetChain.ts'
import { openLocalNode } from '../../support/localNode.ts'
import { REGTEST } from '../../support/openTestChain.ts'
import { testFolder } from '../../support/testFolder.ts'

/** More than an answer has, and than one commit moves the head over. */
const BLOCKS = 2500

const serviceOf = ({ open }: ChainCore) => new BlockService(REGTEST, open.environment, open.chain.reader)

/** A member that has a chain, and what it is asked for. */
async function openGiver(t: Test) {
  const { core } = openLocalNode(t, { dataDir: testFolder(t), mining: false })
  await core.mine({ count: BLOCKS })
  const service = serviceOf(core)
  return {
    target: core.open.chain.head.hash,
    answer: (payload: Buffer) => service.answer(decodeBlocksRequest(payload)),
  }
}

/** @param answer to each call */
function intakeOf(
  { core, service }: TestMember,
  answer: (payload: Buffer) => readonly Buffer[],
): BlockIntake {
  return new BlockIntake({
    chain: service,
    blocks: serviceOf(core),
    calls: { call: async (_member, _service, payload) => encodeBlocks(answer(Buffer.from(payload))) },
    logger: createLogger({ level: 'silent', format: 'json' }),
    reference: (encoded) => referenceOf(REGTEST, encoded),
    others: () => ['11'.repeat(8)],
    onExecuted: () => undefined,
    onRefused: ({ rule }) => t.fail(`a block breaks ${rule}`),
  })
}

t.test(
  'a member without blocks has a long chain in a few answers, and moves its head there in parts',
  async (t) => {
    const { target, answer } = await openGiver(t)
    const member = openMember(t)
    const sizes: number[] = []
    const intake = intakeOf(member, (payload) => {
      const blocks = answer(payload)
      sizes.push(blocks.length)
      return blocks
    })
    await intake.fetch(target)
    t.match(await member.service.executed(target), { number: BLOCKS })
    t.equal(
      sizes.reduce((sum, size) => sum + size, 0),
      BLOCKS,
      'each block once',
    )
    t.ok(sizes.length > 1)
    const { chain } = member.core.open
    t.equal(chain.head.number, 0)
    const enacted: number[] = []
    chain.onHead((change) => enacted.push(change.enacted.length))
    await member.service.moveHead(target)
    t.equal(chain.head.number, BLOCKS)
    t.equal(
      enacted.reduce((sum, count) => sum + count, 0),
      BLOCKS,
    )
    t.ok(enacted.every((count) => count <= 512))
  },
)

t.test('what was executed before a member ended is not asked for again', async (t) => {
  const { target, answer } = await openGiver(t)
  const dataDir = testFolder(t)
  const first = openMember(t, { dataDir })
  let calls = 0
  await intakeOf(first, (payload) => {
    calls += 1
    if (calls > 1) throw new Error('it ends')
    return answer(payload)
  }).fetch(target)
  const { number: reached } = await first.service.heaviest()
  t.ok(reached > 0 && reached < BLOCKS)
  await first.close()
  const second = openMember(t, { dataDir })
  const heights: (number | undefined)[] = []
  await intakeOf(second, (payload) => {
    const blocks = answer(payload)
    heights.push(blocks[0] && referenceOf(REGTEST, blocks[0])?.number)
    return blocks
  }).fetch(target)
  t.equal(heights[0], reached + 1)
  t.match(await second.service.executed(target), { number: BLOCKS })
})

t.test('a member that sends the same blocks again and again is asked no more', async (t) => {
  const { target, answer } = await openGiver(t)
  const member = openMember(t)
  let kept: readonly Buffer[] | null = null
  let calls = 0
  await intakeOf(member, (payload) => {
    calls += 1
    kept ??= answer(payload)
    return kept
  }).fetch(target)
  t.equal(calls, 2)
  t.equal(await member.service.executed(target), null)
  t.equal(decodeBlocks(encodeBlocks(kept ?? [])).length, (await member.service.heaviest()).number)
})
