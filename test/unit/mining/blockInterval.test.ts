import t from 'tap'
import { openLocalNode } from '../../support/localNode.ts'

const NOW = 1_700_000_000

t.test('blocks an interval of 0 apart are as close as blocks can be, as viem asks for them', async (t) => {
  const { core } = openLocalNode(t, { dataDir: t.testdir(), mining: false }, { now: () => NOW * 1000 })
  const { reader } = core.open.chain
  const timesOf = (numbers: readonly number[]) =>
    numbers.map((number) => Number(reader.headerByNumber(number)?.fields.timestamp) - NOW)
  await core.mine({ count: 3, interval: 0 })
  t.same(timesOf([1, 2, 3]), [0, 1, 2])
  await core.mine({ count: 2, interval: 0 })
  t.same(timesOf([4, 5]), [3, 4])
})
