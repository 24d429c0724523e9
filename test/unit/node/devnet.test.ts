import { join } from 'node:path'
import t from 'tap'
import { networkByName } from '../../../src/config/networks/byName.ts'
import { openLocalNode } from '../../support/localNode.ts'
import { openTestChain } from '../../support/openTestChain.ts'

t.test('the development network opens again, mines, and a fresh node takes its blocks', async (t) => {
  const config = { network: 'devnet', dataDir: join(t.testdir(), 'data'), mining: false } as const
  const first = openLocalNode(t, config)
  await first.core.mine({ count: 2 })
  await first.close()
  const { core } = openLocalNode(t, config)
  const { chain } = core.open
  t.equal(chain.head.number, 2)
  t.equal(chain.reader.headerByNumber(0)?.fields.version, 0)
  t.equal(chain.head.fields.version, 1, 'RSKIP351 applies from the start, RSKIP535 never')
  await core.mine()
  const now = Math.floor(Date.now() / 1000)
  await t.rejects(core.dev?.mine({ timestamp: now + 4000 }) ?? Promise.resolve(), {
    kind: 'invalidParams',
    message: /more than 540 s ahead/,
  })
  await t.rejects(core.dev?.mine({ count: 20, interval: 60 }) ?? Promise.resolve(), {
    message: /more than 540 s ahead/,
  })
  t.ok(chain.head.number > 8, 'up to the limit')

  const fresh = openTestChain(t, {
    dataDir: join(t.testdirName, 'fresh'),
    spec: networkByName('devnet'),
  })
  for (let number = 1; number <= chain.head.number; number += 1) {
    const block = chain.reader.blockByNumber(number)
    if (block !== null) t.equal(fresh.chain.connect(block).status, 'IMPORTED_BEST')
  }
  t.same(fresh.chain.head.hash, chain.head.hash)
})
