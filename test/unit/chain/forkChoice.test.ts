import t from 'tap'
import { type BranchTip, isBetterTip } from '../../../src/chain/forkChoice.ts'

function tip(totalDifficulty: bigint, paidFees: bigint, hash: string): BranchTip {
  return { totalDifficulty, paidFees, hash: Buffer.from(hash.padStart(64, '0'), 'hex') }
}

t.test('more difficulty wins, whatever the fees', (t) => {
  t.ok(isBetterTip(tip(11n, 0n, 'ff'), tip(10n, 1000n, '01')))
  t.notOk(isBetterTip(tip(9n, 1000n, '01'), tip(10n, 0n, 'ff')))
  t.end()
})

t.test('at equal difficulty more than double fees win (consensus.md §7)', (t) => {
  t.ok(isBetterTip(tip(10n, 201n, 'ff'), tip(10n, 100n, '01')))
  t.notOk(isBetterTip(tip(10n, 200n, 'ff'), tip(10n, 100n, '01')), 'exactly double does not')
  t.end()
})

t.test('near fees leave it to the lower hash', (t) => {
  t.ok(isBetterTip(tip(10n, 100n, '01'), tip(10n, 199n, 'ff')))
  t.notOk(isBetterTip(tip(10n, 100n, '01'), tip(10n, 200n, 'ff')), 'half the fees are too few')
  t.notOk(isBetterTip(tip(10n, 100n, 'ff'), tip(10n, 100n, '01')))
  t.ok(isBetterTip(tip(10n, 1n, '80'), tip(10n, 1n, 'ff')), 'hashes are unsigned')
  t.end()
})

t.test('without fees the first seen stays', (t) => {
  t.notOk(isBetterTip(tip(10n, 0n, '01'), tip(10n, 0n, 'ff')))
  t.end()
})
