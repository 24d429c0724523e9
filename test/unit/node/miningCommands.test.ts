import t from 'tap'
import type { MiningWork, SolutionOutcome } from '../../../src/mining/interface.ts'
import { createFrontMining } from '../../../src/node/frontMining.ts'

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

/** A chain thread that counts who asks it for work. */
function openMining(outcome: SolutionOutcome) {
  const chain = { head: 1, asked: 0 }
  const submit = async () => outcome
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

t.test('nobody gets work on the head before, or of settings before', async (t) => {
  const { chain, mining } = openMining({ status: 'malformed', reason: 'block' })
  t.same((await mining.commands.work()).parentHash, Buffer.alloc(32, 1))
  const enacted = (number: number) => ({
    retracted: [],
    enacted: [{ number, hash: Buffer.alloc(32, number) }],
  })
  chain.head = 2
  mining.headChanged(enacted(2))
  t.same((await mining.commands.work()).parentHash, Buffer.alloc(32, 2))
  t.equal(chain.asked, 2)
  mining.workBuilt(workOn(3))
  mining.headChanged(enacted(3))
  t.same((await mining.commands.work()).parentHash, Buffer.alloc(32, 3))
  t.equal(chain.asked, 2, 'the work came before its head')
  chain.head = 9
  mining.settingsChanged()
  t.same((await mining.commands.work()).parentHash, Buffer.alloc(32, 9))
  t.equal(chain.asked, 3)
})

t.test('a solution that is refused costs no work', async (t) => {
  const { chain, mining } = openMining({ status: 'refused', reason: 'no' })
  await mining.commands.work()
  await mining.commands.submit(SOLUTION)
  await mining.commands.work()
  t.equal(chain.asked, 1)
})
