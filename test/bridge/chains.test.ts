import t from 'tap'
import { createRandom } from '../support/random.ts'
import { testFolder } from '../support/testFolder.ts'
import { ChainDriver } from './chains/driver.ts'
import { prepare, step } from './chains/scenario.ts'
import { asReferenceConfiguration, createTable } from './chains/tables.ts'

t.test('chains of calls of the Bridge take peg-ins and peg-outs to their end', async (t) => {
  const random = createRandom(4)
  const table = createTable('regtest', 60, random)
  const driver = new ChainDriver(testFolder(t), table.heights)
  t.teardown(() => driver.close())
  const { world, senders } = await prepare(driver, random)
  while (driver.number < 60) await step(world, senders)
  const outcomes = [...driver.counts.keys()]
  t.ok(outcomes.some((each) => each.startsWith('registerBtcTransaction') && each.endsWith('\tpegin_btc')))
  t.ok(outcomes.some((each) => each.endsWith('release_btc')))
  t.equal(world.counts.anomalies, 0, 'Bitcoin took every transaction that the Bridge released')
  const { counts } = world
  t.ok(counts.flyoversPaid > 0, 'contracts were paid for fly-overs')
  t.ok(counts.requestsPaid >= counts.pegoutsSigned, 'a peg-out pays at least one request')
  t.equal(counts.releasesSigned, counts.pegoutsSigned + counts.refundsSigned + counts.transfersSigned)
  const pegins = Object.values(counts.pegins).reduce((sum, count) => sum + count, 0)
  const locked = [...driver.counts].filter(([label]) =>
    /^registerBtcTransaction \(p2.*\tpegin_btc/.test(label),
  )
  t.equal(
    pegins,
    locked.reduce((sum, [, count]) => sum + count, 0),
  )
})

t.test('upgrades of the main network follow one another after 100 to 150 blocks', async (t) => {
  const table = createTable('main', 2000, createRandom(1))
  const gaps = table.steps.slice(1).map((height, index) => height - (table.steps[index] ?? 0))
  t.equal(table.steps.length, 16)
  t.ok(gaps.every((gap) => gap >= 100 && gap < 150))
  for (const rule of ['rskip144', 'rskip351', 'rskip502', 'rskip529', 'rskip535', 'rskip559'] as const) {
    t.equal(table.heights[rule], -1)
  }
  t.match(asReferenceConfiguration(table), / rskip559 = -1\n/)
})
