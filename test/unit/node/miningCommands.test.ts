import t from 'tap'
import type { MiningWork, SolutionOutcome } from '../../../src/mining/interface.ts'
import { createFrontMining } from '../../../src/node/miningCommands.ts'

function workOn(parent: number): MiningWork {
  return {
    serial: parent,
    hashForMergedMining: Buffer.alloc(32, 0x80 + parent),
    target: Buffer.alloc(32, 0x55),
    fees: 0n,
    notify: true,
    parentHash: Buffer.alloc(32, parent),
    timestamp: 1_700_000_000,
  }
}

/** A chain thread whose news of the head come late: the answers to calls are all that is heard of it. */
function openMining(outcome: SolutionOutcome) {
  const chain = { head: 1, asked: 0 }
  const submit = async () => {
    chain.head += 1
    return outcome
  }
  const link = {
    work: async () => {
      chain.asked += 1
      return workOn(chain.head)
    },
    submit,
    submitTemplate: submit,
  }
  return { chain, mining: createFrontMining(link, 60_000, () => 0) }
}

const SOLUTION = { kind: 'block', block: '' } as const
const TEMPLATE = { nonce: Buffer.alloc(8), work: Buffer.alloc(32), seed: Buffer.alloc(32) }

t.test('after the answer to a solution nobody gets work on the head before it', async (t) => {
  const imported = {
    status: 'imported',
    word: 'IMPORTED_BEST',
    hash: Buffer.alloc(32, 2),
    number: 2,
  } as const
  const { chain, mining } = openMining(imported)
  t.same((await mining.commands.work()).parentHash, Buffer.alloc(32, 1))
  await mining.commands.submit(SOLUTION)
  t.same((await mining.commands.work()).parentHash, Buffer.alloc(32, 2))
  await mining.commands.submitTemplate(TEMPLATE)
  t.same((await mining.commands.work()).parentHash, Buffer.alloc(32, 3))
  t.equal(chain.asked, 3)
  await mining.commands.work()
  t.equal(chain.asked, 3, 'once is enough')
  chain.head = 9
  mining.headMayHaveChanged()
  t.same(
    (await mining.commands.work()).parentHash,
    Buffer.alloc(32, 9),
    'after a command of the chain’s user',
  )
})

t.test('a solution that is refused costs no work', async (t) => {
  const { chain, mining } = openMining({ status: 'refused', reason: 'no' })
  await mining.commands.work()
  await mining.commands.submit(SOLUTION)
  await mining.commands.work()
  t.equal(chain.asked, 1)
})
